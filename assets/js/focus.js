// Which controls a question has, and which comes after another one.

// Safari ends a composition before it says that Enter was pressed: its key code alone tells then.
export const isComposing = (event) => event.isComposing || event.keyCode === 229;

const isTicked = (element) => element.type === "radio" || element.type === "checkbox";

// The text of a choice shows as soon as the focus is on the choice; it is asked for when that is made.
const isAsked = (element) => {
  const choice = element.classList.contains("choice-text") && element.closest(".choice-row, .dropdown");
  return !choice || choice.querySelector(".choice > input:checked, option[data-other]:checked") !== null;
};

export const controls = (box) => [...box.querySelectorAll("input, select, textarea, canvas[tabindex], button")]
  .filter((element) => element.type !== "hidden" && element.tabIndex >= 0 && !element.disabled
    && element.checkVisibility() && isAsked(element));

// Where the focus goes in a question: what is chosen, else the first line or choice, else a button.
export const firstOf = (box) => {
  const all = controls(box);
  return all.find((element) => element.checked) ?? all.find((element) => element.type !== "button") ?? all[0];
};

// Lines whose Enter leads on. A file's chooser opens with Enter.
export const isLine = (element) =>
  element.localName === "input" && !["file", "button", "submit", "reset", "color"].includes(element.type);

// The control after this one: in its question, where that has several, else in the next question of the page.
export const following = (element) => {
  const field = element.closest(".field");
  const page = element.closest("section.page");
  if (!field || !page) return undefined;
  const all = controls(field);
  const isNext = (other) => other.type !== "button" && !(isTicked(other) && other.name === element.name);
  const within = all.slice(all.indexOf(element) + 1).find(isNext);
  if (within) return isTicked(within) ? all.find((other) => other.name === within.name && other.checked) ?? within : within;
  const fields = [...page.querySelectorAll(".field[data-field]")];
  for (const later of fields.slice(fields.indexOf(field) + 1)) {
    const first = firstOf(later);
    if (first) return first;
  }
  return undefined;
};

// What the Enter key of a keyboard on the screen says.
export const sayEnter = (element, last) => {
  if (isLine(element) && !isTicked(element)) element.enterKeyHint = following(element) ? "next" : last;
};
