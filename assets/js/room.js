// Asks the server about limited things as soon as one is chosen: it keeps them, and says until when, or that it does not;
// and where they are full and there is a waiting list, the button that sends the form joins it.
import { ask } from "./ask.js";
import { form, recheck, show } from "./form.js";

const held = document.getElementById("held");
const waits = document.getElementById("waits");

form.addEventListener("checked", ({ detail }) => {
  if (held && detail.hold !== undefined) {
    form.elements._hold.value = detail.hold?.token ?? "";
    if (held.textContent !== detail.held) held.textContent = detail.held;
  }
  // What is being sent goes as its button said.
  if (waits && detail.waits !== undefined && !form.dataset.sending) {
    const words = detail.waits ? waits.dataset.words : "";
    if (waits.textContent !== words) waits.textContent = words;
    form.toggleAttribute("data-waits", detail.waits);
    show();
  }
});

let pending = Promise.resolve();
form.addEventListener("change", ({ target }) => {
  const field = target.closest("[data-takes]");
  // One after the other: each answer names the hold that the next question replaces.
  if (field) pending = pending.then(() => recheck(field.dataset.field));
});
// What is sent uses up the hold.
form.addEventListener("settle", ({ detail }) => detail.done.push(pending));
// What a draft brings back may be full by now.
addEventListener("DOMContentLoaded", () => {
  if (waits && form.dataset.keptFiles !== undefined) pending = pending.then(() => ask("check")).catch(() => {});
});
