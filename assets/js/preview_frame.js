// The frame with the form's page: a new one is loaded behind it and takes its place, at the same scroll position.

const WAIT = 150;

let timer;

const questionIn = (frame, code) => frame?.contentDocument?.querySelector(`[data-field="${CSS.escape(code)}"]`);

// The question whose properties are beside the frame.
const chosen = new URLSearchParams(location.search).get("field") ?? "";

const mark = (frame) => {
  const question = questionIn(frame, chosen);
  if (question) question.dataset.chosen = "";
  return question;
};

// A press on a question's label leads to where it is typed.
const listen = (frame) => frame.contentDocument?.addEventListener("click", (event) => {
  const question = event.target.closest(".label, .block-title")?.closest("[data-field]");
  if (!question) return;
  event.preventDefault();
  location.assign(`${location.pathname}?field=${question.dataset.field}#label`);
});

// The value of a control before anybody touched it.
const untouched = (control) => {
  if (control.localName !== "select") return control.defaultValue;
  return ([...control.options].find((option) => option.defaultSelected) ?? control.options[0])?.value;
};

// What was filled in to try the form stays, also for the sample of a formula.
const carry = (from, to) => {
  const page = to.contentDocument;
  for (const old of from.contentDocument?.querySelectorAll("[data-field] :is(input, select, textarea)[name]") ?? []) {
    const isTick = ["checkbox", "radio"].includes(old.type);
    const isSame = isTick ? old.checked === old.defaultChecked : old.value === untouched(old);
    if (old.type === "file" || isSame) continue;
    const control = [...page.getElementsByName(old.name)].find((other) => !isTick || other.value === old.value);
    if (!control) continue;
    if (isTick) control.checked = old.checked;
    else control.value = old.value;
    for (const name of ["input", "change"]) control.dispatchEvent(new Event(name, { bubbles: true }));
  }
};

// The frame that is on its way, and whether something was saved since it set out.
let next;
let isLate = false;

const swap = () => {
  const old = document.getElementById("preview");
  if (!old?.checkVisibility()) return;
  if (next) {
    isLate = true;
    return;
  }
  next = old.cloneNode();
  next.removeAttribute("id");
  next.removeAttribute("loading");
  next.classList.add("loading");
  next.addEventListener("load", (event) => {
    const frame = event.target;
    carry(old, frame);
    frame.contentWindow.scrollTo(0, old.contentWindow?.scrollY ?? 0);
    mark(frame);
    frame.id = "preview";
    frame.classList.remove("loading");
    listen(frame);
    old.remove();
    next = undefined;
    if (isLate) refresh();
    isLate = false;
  }, { once: true });
  old.after(next);
};

export const refresh = () => {
  clearTimeout(timer);
  timer = setTimeout(swap, WAIT);
};

const first = document.getElementById("preview");

if (first) {
  const begin = () => {
    listen(first);
    // Only the frame scrolls: the list and the panel stay where they are.
    const question = mark(first);
    const view = first.contentWindow;
    if (question) view.scrollTo(0, view.scrollY + question.getBoundingClientRect().top - view.innerHeight / 3);
  };
  first.addEventListener("load", begin, { once: true });
  if (first.contentDocument?.readyState === "complete" && first.contentDocument.URL !== "about:blank") begin();
  // The label follows what is typed before the server has drawn it.
  addEventListener("question-typed", ({ detail: { code, path, value } }) => {
    const question = path === "label" && questionIn(document.getElementById("preview"), code);
    const words = question && question.querySelector(":is(:scope, :scope > fieldset) > :is(.label, .block-title) bdi");
    if (words) words.textContent = value;
  });
}
