// Applies the form's rules at once: shows, hides and requires fields according to the controls. The rules are data in
// the page. The server decides when the form is sent, and is asked after changes that the data does not cover.
import { setFault } from "./faults.js";
import { boxOf } from "./field.js";
import { readNumber } from "./number.js";

// Texts are compared without case and width, as the server folds them.
export const fold = (text) =>
  text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC");

const round = (number, decimals) => {
  const text = String(Math.abs(number));
  if (decimals === null || decimals === undefined || text.includes("e")) return number;
  return Math.sign(number) * Number(`${Math.round(Number(`${text}e${decimals}`))}e-${decimals}`);
};

// The filter keys of a control's values.
export const keysOf = (values, how) => {
  const first = values[0]?.replaceAll("\r\n", "\n") ?? "";
  if (how.as === "codes") return values;
  if (first.trim() === "") return [];
  if (how.as === "number") {
    const number = readNumber(first, how.group);
    return number === undefined ? [] : [round(number, how.decimals)];
  }
  if (how.as === "date") {
    const date = first.trim().replace("T", " ");
    return [(date.length === 16 ? `${date}:00` : date).slice(0, how.length)];
  }
  return [fold(first)];
};

const inside = (key, [bound, isInside], sign) => {
  if (typeof key !== typeof bound) return false;
  if (key === bound) return isInside;
  return sign < 0 ? key > bound : key < bound;
};

export const holds = (cond, keys) => {
  if ("not" in cond) return !holds(cond.not, keys);
  if ("any" in cond) return cond.any.some((one) => holds(one, keys));
  if ("all" in cond) return cond.all.every((one) => holds(one, keys));
  if ("null" in cond) return keys.length === 0;
  if ("in" in cond) return keys.some((key) => cond.in.includes(key));
  if ("like" in cond) return keys.some((key) => String(key).includes(cond.like));
  if ("set" in cond) {
    return keys.length > 0 && keys.every((key) => cond.set.includes(key)) && cond.set.every((key) => keys.includes(key));
  }
  return keys.some((key) => (!cond.low || inside(key, cond.low, -1)) && (!cond.high || inside(key, cond.high, 1)));
};

// Which targets are hidden and which required. `read` gives a field's values, `isHidden` the current state of other
// fields; hidden fields count as blank for later rules.
export const settle = (data, read, isHidden) => {
  const hidden = new Map();
  const keys = (code) => ((hidden.get(code) ?? isHidden(code)) ? [] : keysOf(read(code), data.reads[code]));
  const held = data.rules.map(() => undefined);
  const holdsRule = (at) => {
    const { any, if: conditions } = data.rules[at];
    const one = ([code, cond]) => holds(cond, keys(code));
    held[at] ??= any ? conditions.some(one) : conditions.every(one);
    return held[at];
  };
  for (const [code, { show, hide }] of data.targets) {
    const waits = show.length > 0 && !show.some(holdsRule);
    hidden.set(code, waits || hide.some(holdsRule));
  }
  const required = new Map();
  for (const [code, { require }] of data.targets) {
    if (require.length > 0) required.set(code, !hidden.get(code) && require.some(holdsRule));
  }
  return { hidden, required };
};

const setUp = (form) => {
  const data = JSON.parse(form.dataset.rules);
  const boxes = [...form.querySelectorAll(".field[data-field]")];
  const ruled = new Set(data.targets.map(([code]) => code));

  const setRequired = (box, isRequired) => {
    const needed = isRequired || "required" in box.dataset;
    const word = box.querySelector(".mark");
    if (word) word.hidden = (word.dataset.mark === "optional") === needed;
    for (const control of box.querySelectorAll("input, select, textarea")) {
      if (!["checkbox", "hidden"].includes(control.type)) control.required = needed;
    }
  };

  // The next post tells the server what is hidden.
  const updatePost = () => {
    form.elements._hidden.value = boxes.filter((box) => box.hidden).map((box) => box.dataset.field).join(" ");
    let number = 0;
    for (const box of boxes) {
      const word = box.hidden ? null : box.querySelector(".number");
      if (word) word.textContent = `${(number += 1)}.`;
    }
  };

  // Hidden controls keep their values, in case they reappear; the server drops them.
  const hide = (box, isHidden) => {
    if (!box || box.hidden === isHidden) return;
    box.hidden = isHidden;
    if (isHidden && box.classList.contains("wrong")) setFault(box.dataset.field, "");
  };

  const apply = () => {
    const posted = new FormData(form);
    const read = (code) => posted.getAll(code).filter((value) => typeof value === "string" && value !== "");
    const { hidden, required } = settle(data, read, (code) => boxOf(code)?.hidden ?? false);
    for (const [code, isHidden] of hidden) hide(boxOf(code), isHidden);
    for (const [code, isRequired] of required) {
      const box = boxOf(code);
      if (box) setRequired(box, isRequired);
    }
    updatePost();
  };

  // Every answer of the server lists the hidden fields and the results of formulas.
  form.addEventListener("checked", ({ detail: { hidden, outputs } }) => {
    if (!hidden) return;
    for (const box of boxes) {
      if (!ruled.has(box.dataset.field)) hide(box, hidden.includes(box.dataset.field));
    }
    for (const [code, text] of Object.entries(outputs ?? {})) {
      const output = document.getElementById(code);
      if (output) output.textContent = text;
    }
    apply();
  });

  let waiting;
  const changed = () => {
    apply();
    if (!data.asks) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => form.dispatchEvent(new CustomEvent("asks")), 400);
  };
  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  apply();
};

const form = document.getElementById("form");
if (form?.dataset.rules) setUp(form);
