// Keys of a page: which of them are meant for it, and the dialog that lists them.
import { isComposing } from "./focus.js";

// Whether a letter is text where the focus is, or belongs to the browser.
export const isText = (event) => event.ctrlKey || event.metaKey || event.altKey || isComposing(event)
  || Boolean(event.target.closest?.("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]"));

const help = document.getElementById("keys");

if (help) {
  addEventListener("keydown", (event) => {
    if (event.key !== "?" || help.open || isText(event)) return;
    event.preventDefault();
    help.showModal();
  });
}
