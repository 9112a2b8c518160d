// Clears optional answers: the radio button for "no answer" becomes a button, so that arrow keys only move through the
// answers.

const upgrade = () => {
  for (const label of document.querySelectorAll("label.clear")) {
    const input = label.querySelector("input");
    const button = document.createElement("button");
    button.type = "button";
    button.className = label.className;
    if (label.lang) button.lang = label.lang;
    button.dataset.clear = input.name;
    const names = input.getAttribute("aria-labelledby");
    if (names) button.setAttribute("aria-labelledby", names);
    input.remove();
    button.append(...label.childNodes);
    label.replaceWith(button);
  }
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("button.clear");
  if (!button) return;
  const { form } = button;
  const radios = [...form.querySelectorAll(`input[type="radio"][name="${CSS.escape(button.dataset.clear)}"]`)];
  if (radios.length === 0) return;
  for (const radio of radios) radio.checked = false;
  radios[0].focus();
  radios[0].dispatchEvent(new Event("input", { bubbles: true }));
  radios[0].dispatchEvent(new Event("change", { bubbles: true }));
});

upgrade();
// Added rows bring their own, which appear once something is chosen.
document.addEventListener("change", upgrade, { capture: true });
