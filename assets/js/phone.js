// Picking a country by touch or mouse focuses the number. Not by keyboard, whose arrows change the country while
// passing.

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
