// Buttons that copy a text: a token, a command, an address. They are `.scripted`: nobody sees them without a script.
// `data-copy` names the element with the text, `data-copied` holds the words for "copied".
// What the button says besides, for screen readers, comes back with its own words.

const SHOWN = 2500;

// Outside secure contexts (a plain address in a local network) there is no clipboard to write to.
const copySelection = (element) => {
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
  // Where nothing may copy, the text stays selected for the keyboard.
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
    // The shorter word takes the room of the longer one.
    button.style.minWidth = `${button.offsetWidth}px`;
    button.textContent = button.dataset.copied;
    status.textContent = button.dataset.copied;
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.replaceChildren(...words);
      status.textContent = "";
    }, SHOWN);
  });
};

for (const button of document.querySelectorAll("button[data-copy]")) enhance(button);
