// Buttons that copy a text: a token, a command, an address. They are `.scripted`, so hidden without scripts.
// `data-copy` is the id of the element with the text.
import { copyText, makeCopyButton } from "./copy_button.js";

const select = (element) => {
  // The text of a closed part can't be selected.
  element.closest("details")?.setAttribute("open", "");
  if (element.select) {
    element.select();
    return;
  }
  getSelection().selectAllChildren(element);
};

// If copying is not allowed, the text is selected for the keyboard.
const copy = async (element, button) => {
  const done = await copyText((element.value ?? element.textContent).trim(), button);
  if (!done) select(element);
  return done;
};

for (const button of document.querySelectorAll("button[data-copy]")) {
  const element = document.getElementById(button.dataset.copy);
  if (element) makeCopyButton(button, () => copy(element, button));
}
