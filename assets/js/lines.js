// Repeatable lines of inputs, and number inputs with buttons. A line's names begin with the field and an index:
// `field_7[2].number`.

import { readNumber } from "./number.js";

const INDEXED = /^([^[]+)\[(\d+)\]/;

const all = (root, selector) => [...root.querySelectorAll(selector)];

// Sets a line's index in names, ids and references.
const setIndex = (line, at) => {
  for (const attribute of ["name", "id", "for", "aria-describedby"]) {
    for (const element of all(line, `[${attribute}]`)) {
      const old = element.getAttribute(attribute);
      const renamed = old.split(" ").map((part) => part.replace(INDEXED, `$1[${at}]`)).join(" ");
      if (renamed !== old) element.setAttribute(attribute, renamed);
    }
  }
};

// Sets the index of each line, given as a map.
export const setIndices = (indices) => {
  // Via unused indices: two radio groups with the same name, even briefly, would lose a choice.
  const far = 1 + Math.max(0, ...indices.values()) + indices.size;
  for (const [line, at] of indices) setIndex(line, far + at);
  for (const [line, at] of indices) setIndex(line, at);
};

// From a field's draft, pairs of name and value: the values of one key by line index.
export const keptOf = (pairs, key) => new Map(pairs.flatMap(([name, value]) => {
  const [, , at] = INDEXED.exec(name) ?? [];
  return at !== undefined && name.endsWith(`].${key}`) ? [[Number(at), value]] : [];
}));

// Filled lines come first, as they will when posted, so that faults match their index.
export const renumber = (root, isFilled) => {
  const lines = all(root, "[data-line]");
  const sorted = [...lines.filter(isFilled), ...lines.filter((line) => !isFilled(line))];
  setIndices(new Map(sorted.map((line, at) => [line, at])));
};

// Replaces a `details` with a spare line by a button that adds as many lines as needed.
export const makeAddButton = (details, onAdded) => {
  const line = details.querySelector("[data-line]");
  const template = line.cloneNode(true);
  for (const fault of all(template, ".fault")) fault.remove();
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button quiet small";
  button.textContent = details.querySelector("summary").textContent;
  const add = () => {
    const added = template.cloneNode(true);
    button.before(added);
    onAdded(added);
    return added;
  };
  button.addEventListener("click", () => {
    const controls = all(add(), "select, input:not([type=hidden]), button[tabindex='0']");
    controls.find((control) => control.checkVisibility())?.focus();
  });
  if (all(line, "input:not([type=hidden]), select").some((control) => control.value !== "")) {
    details.before(line);
    onAdded(line);
  }
  details.replaceWith(button);
  return add;
};

let steps = 0;

const number = (text, other, group) => {
  const read = readNumber(text, group);
  return Number.isInteger(read) && read >= 0 && read < 1e7 ? read : other;
};

// Adds buttons for one less and one more.
export const steppers = (line, { less, more, title }) => {
  for (const box of all(line, "[data-stepper]")) {
    const input = box.querySelector("input");
    const least = number(input.dataset.least ?? "", 1);
    const most = number(input.dataset.most ?? "", 1000000);
    const none = input.placeholder;
    const set = (value) => {
      input.value = value === none ? "" : value;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      input.dispatchEvent(new Event("change", { bubbles: true }));
    };
    const button = (sign, words, onClick) => {
      const element = document.createElement("button");
      element.type = "button";
      element.className = "button quiet step";
      element.textContent = sign;
      element.setAttribute("aria-label", title ? `${words}: ${title.textContent}` : words);
      if (title?.lang) {
        // The item's name is in another language than the label.
        element.setAttribute("aria-label", words);
        element.id = `${title.id}-${words}-${steps += 1}`.replaceAll(" ", "-");
        element.setAttribute("aria-labelledby", `${element.id} ${title.id}`);
      }
      element.disabled = input.disabled;
      element.addEventListener("click", onClick);
      return element;
    };
    const { group } = box.closest("[data-group]").dataset;
    const current = () => number(input.value, Number(none), group);
    input.before(button("−", less, () => {
      const next = current() - 1;
      set(String(next < least ? Number(none) : Math.min(next, most)));
    }));
    input.after(button("+", more, () => set(String(Math.min(Math.max(current() + 1, least), most)))));
  }
};
