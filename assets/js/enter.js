// Enter in a line leads to the next question, and in the last one to the button: it sends nothing by itself.
import { following, isComposing, isLine, sayEnter } from "./focus.js";
import { form, forward } from "./form.js";

const say = ({ target }) => sayEnter(target, "done");

// A form that takes nothing has no way on; one that opens later can be asked whether it is open.
const way = forward ?? document.getElementById("check-open");

if (form && way) {
  for (const target of form.querySelectorAll("input")) say({ target });
  // What is shown and what comes last may have changed since.
  form.addEventListener("focusin", say);
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.defaultPrevented || isComposing(event)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !isLine(event.target)) return;
    event.preventDefault();
    (following(event.target) ?? way).focus();
  });
}
