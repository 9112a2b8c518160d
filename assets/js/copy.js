// Buttons that copy a text: a token, a command, an address. They are `.scripted`, so hidden without scripts.
// `data-copy` is the id of the element with the text, `data-copied` the label after copying. The button's nodes are
// restored afterwards, including text for screen readers.

const LABEL_TIME = 2500;

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

const enhance = (button) => {
  const element = document.getElementById(button.dataset.copy);
  if (!element) return;
  const words = [...button.childNodes];
  const status = document.createElement("span");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  button.after(status);
  let timer;
  button.addEventListener("click", async () => {
    if (!await copy(element)) return;
    // The shorter label keeps the width of the longer one.
    button.style.minWidth = `${button.offsetWidth}px`;
    button.textContent = button.dataset.copied;
    status.textContent = button.dataset.copied;
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.replaceChildren(...words);
      status.textContent = "";
    }, LABEL_TIME);
  });
};

for (const button of document.querySelectorAll("button[data-copy]")) enhance(button);
