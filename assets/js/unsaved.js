// Forms that are saved by a button: one with changes says so beside the button, and leaving the page asks. What was
// typed and taken back is no change.

const forms = new Map();

const stateOf = (form) => JSON.stringify([...new FormData(form)].filter(([, value]) => value !== ""));

const isChanged = (form) => stateOf(form) !== forms.get(form);

const mark = (form) => {
  const changed = isChanged(form);
  form.toggleAttribute("data-changed", changed);
  const said = form.querySelector("[data-text]");
  const words = changed ? said.dataset.text : "";
  if (said.textContent !== words) said.textContent = words;
};

let leaving = null;

for (const form of document.querySelectorAll("form[data-unsaved]")) {
  // What the server refused is not saved either.
  const isRefused = form.dataset.unsaved || form.closest("details").querySelector("[role=alert]:not([hidden])");
  forms.set(form, isRefused ? "" : stateOf(form));
  mark(form);
  for (const event of ["input", "change"]) form.addEventListener(event, () => mark(form));
  form.addEventListener("submit", () => { leaving = form; });
}

addEventListener("beforeunload", (event) => {
  const asks = [...forms.keys()].some((form) => form !== leaving && isChanged(form));
  leaving = null;
  if (asks) event.preventDefault();
});

// The browser's history shows the page as it was left.
addEventListener("pageshow", () => { for (const form of forms.keys()) mark(form); });
