// The pages that give a form's address on: `c` copies the link while the focus is in its card, a button prints the poster,
// and times that are typed by half are not sent.
const isTyping = (event) => event.isComposing || event.keyCode === 229 || event.target.matches("input, textarea, select");

for (const button of document.querySelectorAll("button[aria-keyshortcuts='c']")) {
  button.closest("section").addEventListener("keydown", (event) => {
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (event.key !== "c" || hasModifier || isTyping(event)) return;
    event.preventDefault();
    button.click();
  });
}

for (const button of document.querySelectorAll("button[data-print]")) {
  button.addEventListener("click", () => window.print());
}

// A day without its time would be sent as none, and what was saved would be gone.
addEventListener("submit", (event) => {
  const unfinished = [...event.target.elements].find((input) => input.validity?.badInput);
  if (!unfinished) return;
  event.preventDefault();
  unfinished.reportValidity();
}, true);
