// Buttons that copy a text: a token, a command, an address. They are `.scripted`, so hidden without scripts.
// `data-copy` is the id of the element with the text.
import { makeCopyButton } from "./copy_button.js";

// Outside secure contexts, such as plain HTTP in a local network, there is no clipboard API.
const copySelection = (element) => {
  // The text of a closed part can't be selected.
  element.closest("details")?.setAttribute("open", "");
  if (element.select) {
    element.select();
    return document.execCommand("copy");
  }
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  const done = document.execCommand("copy");
  // If copying is not allowed, the text stays selected for the keyboard.
  if (done) selection.removeAllRanges();
  return done;
};

const copy = async (element) => {
  const text = element.value ?? element.textContent;
  try {
    await navigator.clipboard.writeText(text.trim());
    return true;
  } catch {
    return copySelection(element);
  }
};

for (const button of document.querySelectorAll("button[data-copy]")) {
  const element = document.getElementById(button.dataset.copy);
  if (element) makeCopyButton(button, () => copy(element));
}
