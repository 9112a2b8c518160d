// The pages that give a form's address on: `c` copies the link while the focus is in its card, and a button prints the
// poster.
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
