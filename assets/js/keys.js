// Keys of a page: which of them are meant for it, and the dialog that lists them.
import { isComposing } from "./focus.js";

// Somebody who speaks to the computer, or whose hand slips, has no keys of one letter.
export const isOff = (event) => event.key.length === 1 && event.key !== "?" && "noLetters" in document.body.dataset;

export const isTyping = ({ target }) =>
  Boolean(target.closest?.("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]"));

// Whether a letter is text where the focus is, or belongs to the browser, or is no key for this reader.
export const isText = (event) =>
  isOff(event) || event.ctrlKey || event.metaKey || event.altKey || isComposing(event) || isTyping(event);

const help = document.getElementById("keys");

if (help) {
  addEventListener("keydown", (event) => {
    if (event.key !== "?" || help.open || isText(event)) return;
    event.preventDefault();
    help.showModal();
  });
}
