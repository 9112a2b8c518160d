// Rules save themselves: a change sends the rule's form, and the page comes back as it was. Without
// this script a button saves. Keys move through the rules, and move, add and remove them.
import { isComposing } from "./focus.js";
import { isText } from "./keys.js";

const KEY = "formsvc.sentences";

const box = document.getElementById("sentences");

// The rule that is being saved.
let leaving;

// Where the focus is, or the rule if its button has it, at which height of the window, and what is being typed there.
const remember = () => {
  const active = document.activeElement;
  const control = active.id ? active : leaving;
  const { id, type, value, defaultValue, selectionStart: caret } = control;
  const typed = defaultValue !== undefined && value !== defaultValue ? { type, value, caret } : undefined;
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ id, top: control.getBoundingClientRect().top, typed }));
  } catch {
    // The browser stores nothing for this tab.
  }
};

// What was typed after the rule had been sent is in its line again, and saved with it.
const typeOn = (line, { type, value, caret }) => {
  if (line.type !== type || line.value === value) return;
  line.value = value;
  if (caret !== null) line.setSelectionRange?.(caret, caret);
  let isSaved = false;
  line.addEventListener("change", () => { isSaved = true; }, { once: true });
  line.addEventListener("blur", () => { if (!isSaved && line.value !== line.defaultValue) save(line.form); }, { once: true });
};

const restore = () => {
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(KEY));
    sessionStorage.removeItem(KEY);
  } catch {
    // As above.
  }
  const control = kept && document.getElementById(kept.id);
  if (!control) return;
  control.focus({ preventScroll: true });
  scrollBy(0, control.getBoundingClientRect().top - kept.top);
  if (kept.typed) typeOn(control, kept.typed);
};

// After the focus has gone to where the key or the pointer took it.
const save = (form) => setTimeout(() => form.requestSubmit());

// Keys, while the focus is on a rule or on what stands in it.

const rules = () => [...box.querySelectorAll(".sentence")];

const step = (rule, by) => rules()[rules().indexOf(rule) + by]?.focus();

const act = (rule, name) => {
  const button = rule.querySelector(`button[data-act="${name}"]`);
  if (button) button.form.requestSubmit(button);
};

const keys = {
  n: () => box.querySelector(":scope > form[method=post]")?.requestSubmit(),
  j: (rule) => step(rule, 1),
  k: (rule) => step(rule, -1),
  ArrowDown: (rule) => step(rule, 1),
  ArrowUp: (rule) => step(rule, -1),
  Delete: (rule) => act(rule, "remove"),
  "/": () => document.getElementById("find-rule")?.focus(),
  "／": () => document.getElementById("find-rule")?.focus(),
};

const onKey = (event) => {
  const rule = event.target.closest?.(".sentence");
  if (!rule || isComposing(event)) return;
  const isMove = event.altKey && ["ArrowUp", "ArrowDown"].includes(event.key);
  if (isMove && event.target === rule) {
    event.preventDefault();
    act(rule, event.key === "ArrowUp" ? "up" : "down");
    return;
  }
  // On a button of the rule it would remove more than that says.
  if (event.key === "Delete" && event.target !== rule) return;
  if (isText(event) || !Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key](rule);
};

const search = document.getElementById("find-question");
search?.addEventListener("change", () => search.form.requestSubmit());

if (box?.hasAttribute("data-saves")) {
  box.dataset.live = "";
  box.addEventListener("keydown", onKey);
  // The browser focuses the rule that the address names once the page is there.
  addEventListener("load", () => requestAnimationFrame(restore));
  // A rule that is moved is looked at where it went.
  box.addEventListener("submit", ({ target, submitter }) => {
    leaving = submitter?.dataset.act ? undefined : target.closest(".sentence") ?? undefined;
  });
  addEventListener("pagehide", () => { if (leaving) remember(); });
  box.addEventListener("change", ({ target }) => {
    const form = target.closest(".sentence-form");
    if (form) save(form);
  });
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s" || isComposing(event)) return;
    event.preventDefault();
    const form = document.activeElement?.closest?.(".sentence-form");
    if (form) save(form);
  });
}
