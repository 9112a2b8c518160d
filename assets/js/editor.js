// The form in which an entry is edited: Ctrl+Enter saves it, Escape leaves it, and the browser asks before anything that
// is not saved is lost.
import { isComposing } from "./focus.js";
import "./keys.js";

const form = document.getElementById("form");
const forward = document.getElementById("forward");

const asks = (event) => event.preventDefault();
const isLeft = () => removeEventListener("beforeunload", asks);
const isChanged = () => addEventListener("beforeunload", asks);

if (form && forward) {
  if (form.dataset.changed !== undefined) isChanged();
  form.addEventListener("input", isChanged);
  form.addEventListener("change", isChanged);
  form.addEventListener("sent", isLeft);
  // After the form's own listeners, which may have sent it themselves.
  addEventListener("submit", (event) => { if (!event.defaultPrevented) isLeft(); });

  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || isComposing(event)) return;
    event.preventDefault();
    form.requestSubmit(forward);
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.target.closest("dialog") || isComposing(event)) return;
    form.querySelector(".actions > a")?.click();
  });
}
