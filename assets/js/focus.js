// The controls of a question, and their order.
import { isCheckable } from "./field.js";

// Safari ends a composition before the keydown of its Enter: only the key code tells.
export const isComposing = (event) => event.isComposing || event.keyCode === 229;

// A choice's text input is shown as soon as the choice has the focus, but only needed once it is chosen.
const isNeeded = (element) => {
  const choice = element.classList.contains("choice-text") && element.closest(".choice-row, .dropdown");
  return !choice || choice.querySelector(".choice > input:checked, option[data-other]:checked") !== null;
};

export const controls = (box) => [...box.querySelectorAll("input, select, textarea, canvas[tabindex], button")]
  .filter((element) => element.type !== "hidden" && element.tabIndex >= 0 && !element.disabled
    && element.checkVisibility() && isNeeded(element));

// The control to focus in a question: the chosen one, else the first input, else a button.
export const firstOf = (box) => {
  const all = controls(box);
  return all.find((element) => element.checked) ?? all.find((element) => element.type !== "button") ?? all[0];
};

// Inputs where Enter moves on. In a file input it opens the chooser.
export const isLine = (element) =>
  element.localName === "input" && !["file", "button", "submit", "reset", "color"].includes(element.type);

// The next control: within the question if it has several, else in the page's next question.
export const following = (element) => {
  const field = element.closest(".field");
  const page = element.closest("section.page");
  if (!field || !page) return undefined;
  const all = controls(field);
  const isNext = (other) => other.type !== "button" && !(isCheckable(other) && other.name === element.name);
  const within = all.slice(all.indexOf(element) + 1).find(isNext);
  if (within) return isCheckable(within) ? all.find((other) => other.name === within.name && other.checked) ?? within : within;
  const fields = [...page.querySelectorAll(".field[data-field]")];
  for (const later of fields.slice(fields.indexOf(field) + 1)) {
    const first = firstOf(later);
    if (first) return first;
  }
  return undefined;
};

// Sets the label of Enter on screen keyboards.
export const sayEnter = (element, last) => {
  if (isLine(element) && !isCheckable(element)) element.enterKeyHint = following(element) ? "next" : last;
};
