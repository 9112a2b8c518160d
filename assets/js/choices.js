// Choices and other parts of a question, row by row: Enter adds one, Backspace removes an empty one, pasting several
// lines makes several.
import { isComposing } from "./focus.js";

const number = (list) => {
  const { parts } = list.dataset;
  for (const [at, row] of [...list.querySelectorAll(".part")].entries()) {
    for (const element of row.querySelectorAll("[name], [id]")) {
      for (const attribute of ["name", "id", "value"]) {
        const text = element.getAttribute(attribute);
        if (attribute === "value" && element.localName !== "button") continue;
        if (text?.startsWith(`${parts}[`)) element.setAttribute(attribute, text.replace(/\[\d+\]/, `[${at}]`));
      }
    }
  }
};

const labelOf = (row) => row.querySelector("input[type=text]");

const fresh = (row) => {
  const copy = row.cloneNode(true);
  for (const input of copy.querySelectorAll("input")) {
    if (input.type === "checkbox") input.checked = false;
    else input.value = "";
  }
  for (const told of copy.querySelectorAll(".fault")) told.remove();
  for (const details of copy.querySelectorAll("details")) details.open = false;
  copy.classList.remove("spare");
  return copy;
};

const changed = (list) => {
  number(list);
  list.dispatchEvent(new Event("change", { bubbles: true }));
};

for (const list of document.querySelectorAll("[data-parts]")) {
  const rows = () => [...list.querySelectorAll(".part")];
  const spare = list.querySelector(".part.spare");
  // The row for those without a script.
  if (rows().length > 1) spare.remove();
  const model = rows()[0];

  const addAfter = (row) => {
    const added = fresh(model);
    row.after(added);
    number(list);
    labelOf(added).focus();
    return added;
  };

  list.querySelector("[data-add]").addEventListener("click", () => addAfter(rows().at(-1)));
  list.addEventListener("keydown", (event) => {
    const row = event.target.closest(".part");
    if (!row || event.target !== labelOf(row) || isComposing(event)) return;
    const at = rows().indexOf(row);
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      addAfter(row);
    } else if (event.key === "Backspace" && event.target.value === "" && rows().length > 1) {
      event.preventDefault();
      const next = rows()[at - 1] ?? rows()[at + 1];
      row.remove();
      labelOf(next).focus();
      changed(list);
    } else if (event.altKey && ["ArrowUp", "ArrowDown"].includes(event.key)) {
      event.preventDefault();
      const other = rows()[event.key === "ArrowUp" ? at - 1 : at + 1];
      if (!other) return;
      if (event.key === "ArrowUp") other.before(row); else other.after(row);
      event.target.focus();
      changed(list);
    }
  });
  list.addEventListener("paste", (event) => {
    const row = event.target.closest(".part");
    const lines = event.clipboardData.getData("text").split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
    if (!row || event.target !== labelOf(row) || lines.length < 2) return;
    event.preventDefault();
    let last = row;
    for (const [at, line] of lines.entries()) {
      if (at > 0 || labelOf(row).value) last = addAfter(last);
      labelOf(last).value = line;
    }
    changed(list);
  });
}
