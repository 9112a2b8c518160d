// One question at a time: the focus goes into the question, Enter leads on, and a key picks a choice.
import { form, forward, pages } from "./form.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
// How long a digit waits for a second one, on a scale that goes to ten.
const SECOND_DIGIT = 700;

const hint = document.getElementById("hint");

const controls = (page) => [...page.querySelectorAll("input, select, textarea, canvas[tabindex], button")]
  .filter((element) => element.type !== "hidden" && !element.disabled && element.checkVisibility());

// The choices of a question that are picked with a key; those within tables are not.
const pick = (field) => ({
  choices: [...field.querySelectorAll(":scope > fieldset > .choices .choice")],
  points: [...field.querySelectorAll(":scope > fieldset > .scale .point")],
});

for (const field of form.querySelectorAll(".field")) {
  const { choices, points } = pick(field);
  choices.slice(0, LETTERS.length).forEach((choice, at) => {
    choice.dataset.key = LETTERS[at];
    choice.querySelector("input")?.setAttribute("aria-keyshortcuts", LETTERS[at]);
  });
  for (const point of points) {
    const input = point.querySelector("input");
    if (input.value.length > 1) continue;
    point.dataset.key = input.value;
    input.setAttribute("aria-keyshortcuts", input.value);
  }
}

const enter = (page, focus) => {
  const all = controls(page);
  const first = all.find((element) => element.checked) ?? all.find((element) => element.type !== "button") ?? all[0];
  if (focus) (first ?? page).focus({ preventScroll: true });
  if (hint) hint.textContent = first?.localName === "textarea" ? hint.dataset.area : hint.dataset.enter;
};

form.addEventListener("turned", (event) => {
  event.preventDefault();
  form.classList.add("turned");
  enter(pages[event.detail], true);
});
const now = pages.find((page) => !page.hidden);
// The first question takes the focus only where that moves nothing and hides nothing.
if (now) enter(now, !document.getElementById("summary") && pages[0] !== now);

let digits = "";
let waiting;
const pickBy = (field, key) => {
  const { choices, points } = pick(field);
  const at = LETTERS.indexOf(key.toUpperCase());
  if (at >= 0) return choices[at];
  if (!/^[0-9]$/.test(key)) return undefined;
  if (points.length === 0) return choices[Number(key) - 1];
  const of = (value) => points.find((point) => point.querySelector("input").value === value);
  clearTimeout(waiting);
  const both = digits + key;
  digits = key;
  waiting = setTimeout(() => { digits = ""; }, SECOND_DIGIT);
  return of(both) ?? of(key);
};

form.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const { target, key } = event;
  const isArea = target.localName === "textarea";
  if (key === "Enter") {
    if (isArea ? !(event.ctrlKey || event.metaKey) : target.closest("button, a, summary")) return;
    event.preventDefault();
    form.requestSubmit(forward);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const field = target.closest(".field");
  // Only where the focus is on a choice: a key never does anything behind somebody's back.
  if (!field || !["radio", "checkbox"].includes(target.type)) return;
  const picked = pickBy(field, key)?.querySelector("input");
  if (!picked) return;
  event.preventDefault();
  picked.focus();
  picked.click();
});
