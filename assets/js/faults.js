// Renders faults as the server does: a focused summary, and a message at each field.
import { boxOf } from "./field.js";

const controls = (box) => [...box.querySelectorAll("input, select, textarea")];

const describe = (element, id, on) => {
  const ids = new Set((element.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean));
  if (on) ids.add(id); else ids.delete(id);
  if (ids.size > 0) element.setAttribute("aria-describedby", [...ids].join(" "));
  else element.removeAttribute("aria-describedby");
};

const faultLine = (id, text, lang) => {
  const node = document.createElement("p");
  node.id = id;
  if (lang) node.lang = lang;
  node.className = "fault";
  node.textContent = text;
  return node;
};

// The innermost part of a field on a path that has a place for messages.
const partAt = (box, code, at) => {
  let path = code + at;
  while (path.length > code.length) {
    const part = box.querySelector(`[data-cell="${CSS.escape(path)}"]`);
    if (part) return part;
    path = path.slice(0, Math.max(path.lastIndexOf("."), path.lastIndexOf("[")));
  }
  return null;
};

// Adds the message of such a part.
const setPartFault = (part, text) => {
  const path = part.dataset.cell;
  if (document.getElementById(`${path}-fault`)) return;
  part.classList.add("wrong");
  const node = faultLine(`${path}-fault`, text);
  const heading = part.querySelector("th");
  if (heading) heading.append(node);
  else (document.getElementById(`${path}-notes`) ?? part.querySelector("legend, label")).after(node);
  for (const element of controls(part)) {
    describe(element, node.id, true);
    element.setAttribute("aria-invalid", "true");
  }
};

const controlAt = (box, name) => controls(box).find((element) =>
  element.type !== "hidden" && (element.name === name || element.name.startsWith(`${name}.`)));

// Sets the messages inside a value: of a table's cell, of an address line. Returns how many were placed.
const setInnerFaults = (box, code, inside) => {
  for (const old of box.querySelectorAll(".fault")) {
    if (old.id === `${code}-fault`) continue;
    for (const element of box.querySelectorAll(`[aria-describedby~="${CSS.escape(old.id)}"]`)) {
      describe(element, old.id, false);
    }
    old.remove();
  }
  for (const part of box.querySelectorAll("[data-cell].wrong")) part.classList.remove("wrong");
  let marked = 0;
  for (const { at, text, joined } of inside) {
    const part = partAt(box, code, at);
    if (part) {
      marked += 1;
      setPartFault(part, text);
      continue;
    }
    const name = `${code}${at}`;
    const control = controlAt(box, name);
    if (!control) continue;
    marked += 1;
    // Under the field's own message, where one stands for several controls or for two boxes of one line: they are marked.
    if ((joined || control.closest("[data-phone]")) && document.getElementById(`${code}-fault`)?.textContent === text) {
      describe(control, `${code}-fault`, true);
      control.setAttribute("aria-invalid", "true");
      continue;
    }
    const node = faultLine(`${name}-fault`, text);
    (control.closest(".choices, .scale, .with-unit, .phone, .booking-when") ?? control).before(node);
    describe(control, node.id, true);
    control.setAttribute("aria-invalid", "true");
  }
  return marked;
};

// Of a blank address, the parts that it needs; otherwise all controls.
const lacking = (all) => {
  const parts = all.filter((element) => element.closest("[data-part]"));
  const isBegun = parts.some((element) => element.value && !element.closest("[data-part=country]"));
  if (parts.length === 0 || isBegun) return all;
  return parts.filter((element) => !element.value && !element.closest("[data-spare]"));
};

// Sets or removes the message of a field, and those inside its value.
export const setFault = (code, text, { inside = [], lang = null, lines = [] } = {}) => {
  const box = boxOf(code);
  if (!box) return;
  const id = `${code}-fault`;
  const wrong = text !== "";
  box.classList.toggle("wrong", wrong);
  document.getElementById(id)?.remove();
  if (wrong) {
    const after = document.getElementById(`${code}-notes`) ?? box.querySelector("legend, label.label");
    after.after(faultLine(id, text, lang));
  }
  const group = box.querySelector("fieldset");
  for (const element of group ? [group] : controls(box)) describe(element, id, wrong);
  for (const element of controls(box)) element.removeAttribute("aria-invalid");
  const marked = setInnerFaults(box, code, inside);
  if (wrong && marked === 0) {
    for (const element of lacking(controls(box))) element.setAttribute("aria-invalid", "true");
  }
  if (wrong) itemOf(code)?.replaceChildren(...lines.map((line) => summaryLine(code, line, lang)));
  else removeFromSummary(code);
  setTitle();
};

export const clearSummary = () => document.getElementById("before-fields")?.replaceChildren();

const itemOf = (code) => document.querySelector(`#summary [data-to="${CSS.escape(code)}"]`)?.closest("li");

// Removes a corrected field from the summary, whose title counts the remaining ones.
const removeFromSummary = (code) => {
  const summary = document.getElementById("summary");
  const item = itemOf(code);
  if (!item) return;
  // Already announced: screen readers need not repeat it after each correction.
  summary.removeAttribute("role");
  item.remove();
  const left = summary.querySelectorAll("li").length;
  if (left === 0) clearSummary();
  else summary.querySelector("h2").textContent = summary.dataset.titles.split("\n")[left - 1];
};

// The tab's title tells whether there are faults.
const setTitle = () => {
  const { title, wrong } = document.getElementById("before-fields")?.dataset ?? {};
  if (title !== undefined) document.title = document.querySelector(".field.wrong") ? wrong : title;
};

// A line of the summary: an answer, or a part of one, as a link to its control.
const summaryLine = (code, { at, label, text }, lang) => {
  const link = document.createElement("a");
  link.href = `#${code}`;
  Object.assign(link.dataset, { to: code, at });
  const told = document.createElement("span");
  told.className = "told";
  if (lang) told.lang = lang;
  told.textContent = text;
  link.append(withLang(label, summaryLang), " – ", told);
  const line = document.createElement("div");
  line.append(link);
  return line;
};

// The language of the owner's words, if that differs from the page's.
let summaryLang = document.querySelector(".field bdi[lang]")?.lang;

// Shows the contents of a template above the fields.
export const showNotice = (words) => {
  const box = document.createElement("div");
  box.className = "message warn before-form stack";
  box.dataset.of = words.id;
  box.tabIndex = -1;
  box.setAttribute("role", "alert");
  box.append(words.content.cloneNode(true));
  document.getElementById("before-fields")?.replaceChildren(box);
  box.focus();
};

// A text, with its language if that differs from the page's.
const withLang = (text, lang) => {
  if (!lang) return text;
  const node = document.createElement("span");
  node.lang = lang;
  node.textContent = text;
  return node;
};

const isQuestion = (box) => !box.hidden && box.querySelector("input:not([type=hidden]), select, textarea, canvas") !== null;

// Whether the only fault is on a page with one question, where a summary is not needed.
const isOnlyQuestion = (faults) => {
  const page = faults.length === 1 && boxOf(faults[0].field)?.closest("section.page");
  return Boolean(page) && [...page.querySelectorAll(".field")].filter(isQuestion).length === 1;
};

const focusInside = (box, at = "") => {
  const part = at ? partAt(box, box.dataset.field, at) : null;
  const own = at ? controlAt(part ?? box, box.dataset.field + at) ?? (part && controls(part)[0]) : null;
  if (own?.checkVisibility()) {
    own.focus({ preventScroll: true });
    return;
  }
  const all = [...box.querySelectorAll("input, select, textarea, button")]
    .filter((element) => element.type !== "hidden" && element.checkVisibility());
  const wrong = all.find((element) => element.getAttribute("aria-invalid") === "true");
  // The day of a calendar, whose own input is not seen.
  const day = box.querySelector("table.wrong button[tabindex='0']");
  (wrong ?? day ?? all[0])?.focus({ preventScroll: true });
};

// Announces the fault even if its control already has the focus.
const announceAlone = (box) => {
  const fault = box.querySelector(".fault");
  fault?.setAttribute("role", "alert");
  fault?.scrollIntoView({ block: "nearest" });
  focusInside(box);
};

// Shows these faults and no others.
export const showFaults = ({ titles, lang, faults }) => {
  for (const box of document.querySelectorAll(".field.wrong")) setFault(box.dataset.field, "");
  clearSummary();
  for (const fault of faults) setFault(fault.field, fault.text, fault);
  if (isOnlyQuestion(faults)) {
    announceAlone(boxOf(faults[0].field));
    return;
  }
  const summary = document.createElement("div");
  summary.id = "summary";
  summary.className = "message summary before-form";
  summary.tabIndex = -1;
  summary.setAttribute("role", "alert");
  const title = document.createElement("h2");
  title.textContent = titles.at(-1);
  summary.dataset.titles = titles.join("\n");
  const list = document.createElement("ul");
  summaryLang = lang;
  for (const fault of faults) {
    const item = document.createElement("li");
    item.append(...fault.lines.map((line) => summaryLine(fault.field, line, fault.lang)));
    list.append(item);
  }
  summary.append(title, list);
  document.getElementById("before-fields")?.replaceChildren(summary);
  summary.focus();
  summary.scrollIntoView({ block: "nearest" });
};

// All pages are in the document, so faults on other pages become links too.
for (const words of document.querySelectorAll("#summary span[data-to]")) {
  const link = document.createElement("a");
  link.href = `#${words.dataset.to}`;
  Object.assign(link.dataset, words.dataset);
  link.append(...words.childNodes);
  words.replaceWith(link);
}

// Links in the summary focus the control, not only the field.
document.addEventListener("click", (event) => {
  const link = event.target.closest("#summary a[data-to]");
  const box = link && boxOf(link.dataset.to);
  if (!box) return;
  event.preventDefault();
  const page = box.closest("section.page");
  if (page?.hidden) page.closest("form").dispatchEvent(new CustomEvent("goto", { detail: page }));
  (box.querySelector("label.label, legend") ?? box).scrollIntoView({ block: "start" });
  focusInside(box, link.dataset.at);
  document.activeElement.scrollIntoView({ block: "nearest" });
});

// A fault that the server rendered without a summary.
const alone = document.querySelector(".fault[autofocus]")?.closest(".field");
// After the browser's autofocus, which is for pages without scripts.
if (alone) requestAnimationFrame(() => requestAnimationFrame(() => focusInside(alone)));
