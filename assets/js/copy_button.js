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
