// Rows of choices and other parts of a question: Enter adds one, Backspace takes an empty one away, Alt and arrows move,
// handles are dragged, several pasted lines become rows. Each change is told to the panel by a `change`. A new row comes from the template of
// its list; a list without one is changed by the server.
import { drag } from "./drag.js";
import { isComposing } from "./focus.js";

const listsIn = (root) => [...root.querySelectorAll("[data-parts]")];
const rowsOf = (list) => [...list.querySelectorAll(":scope > ol > .part")];
const inputsOf = (row) => [...row.querySelectorAll("input, select, textarea")];
// Times have no line: their first control stands for it.
const lineOf = (row) => row.querySelector(":scope > [data-line]") ?? row.querySelector("select");
const isFixed = (list) => "fixed" in list.dataset;

const isBlank = (row) => inputsOf(row).every((input) => (input.type === "checkbox" ? !input.checked : input.value.trim() === ""));

// The rows that are saved, in their order.
const sentRows = (list) => (isFixed(list) ? rowsOf(list) : rowsOf(list).filter((row) => !isBlank(row)));

// All rows that are saved, each with its path in the definition: its list's keys and its place among those that are sent.
export const placesIn = (form) => {
  const places = new Map();
  for (const list of listsIn(form)) {
    const parent = list.parentElement.closest(".part");
    const base = parent ? places.get(parent) : { path: "", name: "" };
    if (!base) continue;
    const key = list.dataset.parts.slice(base.name.length);
    const all = rowsOf(list);
    for (const [at, row] of sentRows(list).entries()) {
      const name = `${list.dataset.parts}[${all.indexOf(row)}]`;
      places.set(row, { path: `${base.path}${key}[${at}]`, name });
    }
  }
  return places;
};

// The names of the controls of rows that are not saved.
export const blankNames = (form) => {
  const blank = new Set();
  for (const list of listsIn(form)) {
    if (isFixed(list)) continue;
    for (const row of rowsOf(list).filter(isBlank)) {
      for (const input of inputsOf(row)) if (input.name) blank.add(input.name);
    }
  }
  return blank;
};

const ATTRIBUTES = ["id", "name", "for", "value", "aria-describedby", "data-parts"];

// All elements, also those of templates.
const everything = (root) => [...root.querySelectorAll("*")].flatMap((element) => [
  element,
  ...element.localName === "template" ? everything(element.content) : [],
]);

const renumberRow = (name, row, at) => {
  for (const element of everything(row)) {
    for (const attribute of ATTRIBUTES) {
      const value = element.getAttribute(attribute);
      // What is typed is no name.
      if (!value?.includes(`${name}[`) || (attribute === "value" && element.localName !== "button")) continue;
      const words = value.split(" ").map((word) => {
        const start = word.startsWith(`${name}[`) ? 0 : word.indexOf(`.${name}[`) + 1;
        if (start === 0 && !word.startsWith(`${name}[`)) return word;
        const open = start + name.length;
        return `${word.slice(0, open)}[${at}${word.slice(word.indexOf("]", open))}`;
      });
      element.setAttribute(attribute, words.join(" "));
    }
  }
  const line = lineOf(row);
  if (!line || !("line" in line.dataset)) return;
  line.ariaLabel = line.ariaLabel.replace(/\d+$/u, String(at + 1));
  for (const button of row.querySelectorAll(":scope > .part-act")) button.ariaLabel = `${button.title} ${line.value}`;
};

// `choices[2]` in names, ids and what refers to them.
const renumber = (list) => {
  for (const [at, row] of rowsOf(list).entries()) renumberRow(list.dataset.parts, row, at);
};

const changed = (list) => {
  renumber(list);
  list.dispatchEvent(new Event("change", { bubbles: true }));
};

const made = (list) => {
  const row = list.querySelector(":scope > template").content.firstElementChild.cloneNode(true);
  // A product needs more than its name.
  if (!list.querySelector(":scope > details textarea")) {
    for (const more of row.querySelectorAll(":scope > .part-more")) more.open = true;
  }
  return row;
};

const insert = (list, row, after) => {
  if (after) after.after(row);
  else list.querySelector(":scope > ol").append(row);
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
  const line = next ? lineOf(next) : list.querySelector(":scope > .row > [data-add]");
  // A long list has others that are not drawn, and no button to add.
  line?.focus();
  line?.setSelectionRange?.(line.value.length, line.value.length);
};

// A row whose label was deleted goes with its next Backspace, whatever else it has.
const isBlankLine = (row) => lineOf(row).value === "";

const onKey = (list, event) => {
  const row = event.target.closest(".part");
  if (!row || isComposing(event) || !("line" in event.target.dataset)) return;
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

const put = (row, key, value) => {
  const input = row.querySelector(`input[name$='.${key}']`);
  if (input && value) input.value = value;
};

// Lines as spreadsheets copy them: label, score, places.
const onPaste = (list, event) => {
  const row = event.target.closest(".part");
  if (!row || !("line" in event.target.dataset)) return;
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
    event.preventDefault();
    lineOf(insert(list, made(list))).focus();
    return;
  }
  const verb = /\]\.(up|down|remove)$/u.exec(button.value)?.[1];
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

const panel = document.querySelector(".panel");
for (const [name, act] of [["keydown", onKey], ["paste", onPaste], ["click", onClick]]) {
  panel?.addEventListener(name, (event) => {
    const list = event.target.closest?.("[data-parts]");
    if (list && !isFixed(list)) act(list, event);
  });
}

// A list can be dragged as soon as one of its handles is taken: rows come and go, and may hold lists of their own.
const dragged = new WeakSet();
panel?.addEventListener("pointerdown", (event) => {
  const rows = event.target.closest?.(".part > .handle")?.parentElement.parentElement;
  if (!rows || dragged.has(rows)) return;
  dragged.add(rows);
  drag(rows, (row, before) => {
    if (before) before.after(row);
    else rows.prepend(row);
    changed(rows.parentElement);
  });
}, { capture: true });
