// Enter in a line moves to the next question, and from the last one to the button, without submitting.
import { following, isComposing, isLine, sayEnter } from "./focus.js";
import { form, forward } from "./form.js";

const say = ({ target }) => sayEnter(target, "done");

// A closed form has no forward button; one that opens later has a button to check.
const button = forward ?? document.getElementById("check-open");

if (form && button) {
  for (const target of form.querySelectorAll("input")) say({ target });
  // Which controls are visible, and which is last, may have changed.
  form.addEventListener("focusin", say);
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.defaultPrevented || isComposing(event)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !isLine(event.target)) return;
    event.preventDefault();
    (following(event.target) ?? button).focus();
  });
}
