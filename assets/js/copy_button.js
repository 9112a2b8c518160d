// Buttons that copy: after copying, `data-copied` is the label for a moment. The button's nodes are restored afterwards,
// with its text for screen readers.

const LABEL_TIME = 2500;

// `copy` gives, in time, whether there is a copy.
export const makeCopyButton = (button, copy) => {
  const words = [...button.childNodes];
  const status = document.createElement("span");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  button.after(status);
  let timer;
  button.addEventListener("click", async () => {
    if (!await copy()) return;
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

// Outside secure contexts, such as plain HTTP in a local network, there is no clipboard API. The text is selected
// beside the button: what lies outside an open dialog can't be.
const copyBySelection = (text, button) => {
  const area = document.createElement("textarea");
  area.className = "visually-hidden";
  area.value = text;
  button.after(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  button.focus();
  return done;
};

// Copies a text; gives, in time, whether there is a copy.
export const copyText = async (text, button) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text, button);
  }
};
