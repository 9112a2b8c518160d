// Buttons that show and hide what is typed into a password field. `data-reveal` names the field; the words for "hide"
// and for what a screen reader is told come with the button.

const enhance = (button) => {
  const input = document.getElementById(button.dataset.reveal);
  const word = button.querySelector("span");
  if (!input || !word) return;
  const show = word.textContent;
  const status = document.createElement("span");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  button.after(status);
  const reveal = (isShown) => {
    input.type = isShown ? "text" : "password";
    word.textContent = isShown ? button.dataset.hide : show;
  };
  input.spellcheck = false;
  input.autocapitalize = "none";
  button.addEventListener("click", () => {
    const isShown = input.type === "password";
    reveal(isShown);
    status.textContent = isShown ? button.dataset.shown : button.dataset.hidden;
  });
  // A text field's value would be offered again by the browser.
  input.form?.addEventListener("submit", () => reveal(false));
};

for (const button of document.querySelectorAll("button[data-reveal]")) enhance(button);
