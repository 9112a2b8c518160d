// Rules save themselves: a change sends the rule's form, and the page comes back with the focus where it was. Without
// this script a button saves.
import { isComposing } from "./focus.js";

const KEY = "formsvc.sentences";

const box = document.getElementById("sentences");

const remember = () => {
  try {
    sessionStorage.setItem(KEY, document.activeElement?.id ?? "");
  } catch {
    // The browser stores nothing for this tab.
  }
};

const restore = () => {
  try {
    const id = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    if (id) document.getElementById(id)?.focus({ preventScroll: true });
  } catch {
    // As above.
  }
};

// After the focus has gone to where the key or the pointer took it.
const save = (form) => setTimeout(() => {
  remember();
  form.requestSubmit();
});

if (box) {
  // Its stylesheet hides the buttons that save.
  document.body.classList.add("has-script");
  // The browser focuses the rule that the address names once the page is there.
  addEventListener("load", () => requestAnimationFrame(restore));
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
