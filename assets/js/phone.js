// Who has picked a country with a finger or the mouse types the number next. The keyboard stays where it is: its
// arrows change the country on their way.

let pressed;

document.addEventListener("pointerdown", ({ target }) => {
  pressed = target.closest?.("[data-phone] select");
});
document.addEventListener("keydown", () => { pressed = undefined; });
document.addEventListener("change", ({ target }) => {
  if (target !== pressed) return;
  pressed = undefined;
  target.closest("[data-phone]").querySelector("input").focus();
});
