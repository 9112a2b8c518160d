// Counts the answered questions of a form with one page.
import { isCheckable } from "./field.js";

const form = document.getElementById("form");
const progress = form?.querySelector(".progress[data-answered]");

const isAnswered = (field) => {
  const all = [...field.querySelectorAll("input, select, textarea")].filter((element) => element.type !== "hidden");
  if (all.some((element) => isCheckable(element) && element.checked)) return true;
  const texts = all.filter((element) => !isCheckable(element));
  // A country list alone is no answer if the number next to it is empty.
  const lines = texts.filter((element) => element.localName !== "select");
  return (lines.length > 0 ? lines : texts).some((element) => element.value.trim() !== "");
};

const count = () => {
  const fields = [...form.querySelectorAll(".field")]
    .filter((field) => !field.hidden && field.querySelector("input, select, textarea"));
  const answered = fields.filter(isAnswered).length;
  const bar = progress.querySelector("progress");
  bar.max = Math.max(1, fields.length);
  bar.value = answered;
  const words = progress.dataset.answered.replace("{answered}", answered).replace("{all}", fields.length);
  const label = progress.querySelector("span");
  if (label.textContent !== words) label.textContent = words;
};

if (progress) {
  count();
  form.addEventListener("input", count);
  form.addEventListener("change", count);
  // Rules change which questions are visible.
  new MutationObserver(count).observe(form, { subtree: true, attributeFilter: ["hidden"] });
}
