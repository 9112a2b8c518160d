// One question at a time: focuses the question, moves on with Enter, and picks choices with keys.
import { isCheckable } from "./field.js";
import { firstOf, following, isComposing, sayEnter } from "./focus.js";
import { form, forward, pages } from "./form.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
// How long a digit waits for a second one, on scales up to ten.
const SECOND_DIGIT_DELAY = 700;

const hint = document.getElementById("hint");

// The choices of a question that keys can pick; not those in tables.
const pickable = (field) => ({
  choices: [...field.querySelectorAll(":scope > fieldset > .choices .choice")],
  points: [...field.querySelectorAll(":scope > fieldset > .scale .point")],
});

for (const field of form.querySelectorAll(".field")) {
  const { choices, points } = pickable(field);
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

const focusPage = (page, focus) => {
  const first = firstOf(page);
  if (focus) (first ?? page).focus({ preventScroll: true });
  if (hint) hint.textContent = first?.localName === "textarea" ? hint.dataset.area : hint.dataset.enter;
};

form.addEventListener("focusin", ({ target }) => sayEnter(target, forward.value === "next" ? "next" : "send"));
form.addEventListener("turned", (event) => {
  event.preventDefault();
  form.classList.add("turned");
  focusPage(pages[event.detail], true);
});
const shown = pages.find((page) => !page.hidden);
// Don't focus the first question on load, or where the focus would skip a message.
if (shown) focusPage(shown, !document.querySelector("#summary, .fault[autofocus]") && pages[0] !== shown);

let digits = "";
let waiting;
const pickBy = (field, key) => {
  const { choices, points } = pickable(field);
  const at = LETTERS.indexOf(key.toUpperCase());
  if (at >= 0) return choices[at];
  if (!/^[0-9]$/.test(key)) return undefined;
  if (points.length === 0) return choices[Number(key) - 1];
  const of = (value) => points.find((point) => point.querySelector("input").value === value);
  clearTimeout(waiting);
  const both = digits + key;
  digits = key;
  waiting = setTimeout(() => { digits = ""; }, SECOND_DIGIT_DELAY);
  return of(both) ?? of(key);
};

const pickIn = (field, event) => {
  const picked = pickBy(field, event.key)?.querySelector("input");
  if (!picked) return;
  event.preventDefault();
  picked.focus();
  picked.click();
};

const takesKeys = (element) => element.closest("a, button, input, select, textarea, summary, canvas, audio, video, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.repeat || form.hidden || isComposing(event)) return;
  const { target, key } = event;
  // Keys not used by a focused control belong to the question.
  const isOurs = form.contains(target) || !takesKeys(target);
  if (!isOurs) return;
  const withKeys = event.ctrlKey || event.metaKey;
  if (key === "Enter") {
    if (event.altKey) return;
    if (target.localName === "textarea" ? !withKeys : target.closest("button, a, summary")) return;
    event.preventDefault();
    const next = withKeys ? undefined : following(target);
    if (next) next.focus();
    else form.requestSubmit(forward);
    return;
  }
  if (withKeys || event.altKey) return;
  const page = pages.find((page) => !page.hidden);
  const field = isCheckable(target) ? target.closest(".field")
    : takesKeys(target) ? undefined : firstOf(page)?.closest(".field");
  if (field) pickIn(field, event);
});
