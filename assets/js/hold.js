// Has the server keep what is chosen of limited things as soon as it is chosen, and says until when, or that it does not.
import { form, recheck } from "./form.js";

const status = document.getElementById("held");

form.addEventListener("checked", ({ detail: { hold, held } }) => {
  if (hold === undefined) return;
  form.elements._hold.value = hold?.token ?? "";
  if (status.textContent !== held) status.textContent = held;
});

let pending = Promise.resolve();
form.addEventListener("change", ({ target }) => {
  const field = target.closest("[data-takes]");
  // One after the other: each answer names the hold that the next question replaces.
  if (field) pending = pending.then(() => recheck(field.dataset.field));
});
// What is sent uses up the hold.
form.addEventListener("settle", ({ detail }) => detail.done.push(pending));
