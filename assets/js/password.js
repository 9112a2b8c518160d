// Buttons that show and hide a password. `data-reveal` is the id of the field; the label "hide" and the texts for
// screen readers are in the button's data.

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
  // Browsers would offer a text field's value again.
  input.form?.addEventListener("submit", () => reveal(false));
};

for (const button of document.querySelectorAll("button[data-reveal]")) enhance(button);
