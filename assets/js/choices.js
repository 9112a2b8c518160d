// Rows of choices and other parts of a question: Enter adds one, Backspace takes an empty one away, Alt and arrows move,
// several pasted lines become rows. Each change is told to the panel by a `change`.
import { isComposing } from "./focus.js";

const rowsOf = (list) => [...list.querySelectorAll(":scope > ol > .part")].filter((row) => !row.classList.contains("spare"));
const lineOf = (row) => row.querySelector("[data-line]");
const inputsOf = (row) => [...row.querySelectorAll("input, select, textarea")];

const isBlank = (row) => inputsOf(row).every((input) => (input.type === "checkbox" ? !input.checked : input.value.trim() === ""));

// The rows that are saved, in their order.
export const sentRows = (list) => rowsOf(list).filter((row) => !isBlank(row));

const ATTRIBUTES = ["id", "name", "for", "value", "aria-describedby"];

// `choices[2]` in names, ids and what refers to them.
const renumber = (list) => {
  const name = list.dataset.parts;
  const rows = [...list.querySelectorAll(":scope > ol > .part")];
  for (const [at, row] of rows.entries()) {
    for (const element of row.querySelectorAll("*")) {
      for (const attribute of ATTRIBUTES) {
        const value = element.getAttribute(attribute);
        // What is typed is no name.
        if (!value?.startsWith(`${name}[`) || (attribute === "value" && element.localName !== "button")) continue;
        element.setAttribute(attribute, value.replaceAll(/(^| )([a-z_]+)\[\d+\]/gu, `$1$2[${at}]`));
      }
    }
    const line = lineOf(row);
    line.ariaLabel = line.ariaLabel.replace(/\d+$/u, String(at + 1));
    for (const button of row.querySelectorAll(".part-act")) button.ariaLabel = `${button.title} ${line.value}`;
  }
};

const changed = (list) => {
  renumber(list);
  list.dispatchEvent(new Event("change", { bubbles: true }));
};

const made = (list) => {
  const [model] = rowsOf(list);
  const row = (model ?? list.querySelector(":scope > ol > .spare")).cloneNode(true);
  row.classList.remove("spare", "wrong");
  for (const fault of row.querySelectorAll(".fault")) fault.remove();
  // Goods need a price, choices seldom more than a label.
  const isOpen = !list.querySelector("textarea[name^='_text.']");
  for (const more of row.querySelectorAll("details")) more.open = isOpen;
  for (const input of inputsOf(row)) {
    input.removeAttribute("aria-invalid");
    if (input.type === "checkbox") input.checked = false;
    else input.value = "";
  }
  return row;
};

const insert = (list, row, after) => {
  if (after) after.after(row);
  else list.querySelector(":scope > ol > .spare").before(row);
  renumber(list);
  return row;
};

const move = (list, row, isUp) => {
  const rows = rowsOf(list);
  const other = rows[rows.indexOf(row) + (isUp ? -1 : 1)];
  if (!other) return;
  if (isUp) other.before(row);
  else other.after(row);
  changed(list);
};

const remove = (list, row) => {
  const rows = rowsOf(list);
  const at = rows.indexOf(row);
  const next = rows[at - 1] ?? rows[at + 1];
  row.remove();
  changed(list);
  const line = next ? lineOf(next) : list.querySelector("[data-add]");
  line.focus();
  line.setSelectionRange?.(line.value.length, line.value.length);
};

const onKey = (list, event) => {
  const row = event.target.closest(".part");
  if (!row || isComposing(event) || event.target !== lineOf(row)) return;
  const { key } = event;
  if (event.altKey && (key === "ArrowUp" || key === "ArrowDown")) {
    event.preventDefault();
    move(list, row, key === "ArrowUp");
    event.target.focus();
  } else if (key === "Enter" && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    lineOf(insert(list, made(list), row)).focus();
  } else if (key === "Backspace" && isBlankLine(row) && rowsOf(list).length > 1) {
    event.preventDefault();
    remove(list, row);
  }
};

// A row whose label was deleted goes with its next Backspace, whatever else it has.
const isBlankLine = (row) => lineOf(row).value === "";

const put = (row, key, value) => {
  const input = row.querySelector(`input[name$='.${key}']`);
  if (input && value) input.value = value;
};

// Lines as spreadsheets copy them: label, score, places.
const onPaste = (list, event) => {
  const row = event.target.closest(".part");
  if (!row || event.target !== lineOf(row)) return;
  const lines = event.clipboardData.getData("text/plain").split(/\r?\n/u).filter((line) => line.trim());
  if (lines.length < 2) return;
  event.preventDefault();
  let last = row;
  for (const [at, line] of lines.entries()) {
    const [label, score, places] = line.split("\t").map((part) => part.trim());
    if (at > 0) {
      const added = made(list);
      last.after(added);
      last = added;
    }
    const input = lineOf(last);
    if (at > 0) input.value = label;
    else input.setRangeText(label, input.selectionStart, input.selectionEnd, "end");
    put(last, "score", score);
    put(last, "quota", places);
  }
  lineOf(last).focus();
  changed(list);
};

const onClick = (list, event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if ("add" in button.dataset) {
    lineOf(insert(list, made(list))).focus();
    return;
  }
  const verb = /^[a-z_]+\[\d+\]\.(up|down|remove)$/u.exec(button.value)?.[1];
  if (!verb) return;
  event.preventDefault();
  const row = button.closest(".part");
  if (verb === "remove") {
    remove(list, row);
  } else {
    move(list, row, verb === "up");
    button.focus();
  }
};

for (const list of document.querySelectorAll(".panel [data-parts]")) {
  list.addEventListener("keydown", (event) => onKey(list, event));
  list.addEventListener("paste", (event) => onPaste(list, event));
  list.addEventListener("click", (event) => onClick(list, event));
}
