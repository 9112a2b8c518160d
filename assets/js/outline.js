// The builder's list of questions: its keys, ticked questions, moves without loading the page, and who else is here.
import { isComposing } from "./focus.js";
import { isOff } from "./keys.js";
import { drag } from "./drag.js";
import { drawn } from "./drawn.js";
import { keep, restore } from "./kept_ticks.js";
import { refresh } from "./preview_frame.js";

const ASK_EVERY = 4000;

const list = document.querySelector("ol.outline");
const many = document.getElementById("questions");
const rows = () => [...list.querySelectorAll(".outline-row")];
const linkOf = (row) => row?.querySelector("a");
const codeOf = (row) => row.dataset.code;
const ticks = () => rows().map((row) => row.querySelector(".row-tick"));
const ticked = () => rows().filter((row) => row.querySelector(".row-tick").checked);
const csrf = () => document.querySelector("input[name=csrf]").value;
const page = (query) => `${location.pathname}${query}`;

const say = (text) => { many.querySelector("[data-count]").textContent = text; };

// Ticks.

let lastTick;

const showCount = () => {
  const { length } = ticked();
  const status = many.querySelector("[data-count]");
  status.textContent = length ? status.dataset.count.replace("{n}", length) : "";
  keep(ticks());
};

const tickTo = (row, isRange) => {
  const all = rows();
  const [from, to] = [all.indexOf(lastTick), all.indexOf(row)];
  const { checked } = row.querySelector(".row-tick");
  if (isRange && from >= 0) {
    for (const between of all.slice(Math.min(from, to), Math.max(from, to) + 1)) {
      between.querySelector(".row-tick").checked = checked;
    }
  }
  lastTick = row;
  showCount();
};

// Acts.

const put = (order) => {
  const known = new Map(rows().map((row) => [codeOf(row), row]));
  let number = 0;
  let at = list.firstElementChild;
  for (const code of order) {
    const row = known.get(code);
    if (!row) continue;
    // Only what stands elsewhere is moved.
    if (row === at) at = at.nextElementSibling;
    else list.insertBefore(row, at);
    const shown = row.querySelector(".outline-number");
    if (shown && shown.textContent !== String(number += 1)) shown.textContent = String(number);
  }
};

const send = async (act, codes, more = {}) => {
  const body = new URLSearchParams({ csrf: csrf(), act, ...more });
  for (const code of codes) body.append("code", code);
  const answer = await fetch(list.dataset.action, { method: "POST", headers: { Accept: "application/json" }, body });
  if (!answer.ok) return undefined;
  const { data } = await answer.json();
  shown.version = data.version;
  document.getElementById("undo").disabled = !data.can_undo;
  document.getElementById("redo").disabled = !data.can_redo;
  return data;
};

// What an act does to other rows, such as rules that it breaks, is drawn by the server: it comes with the page.
const redraw = (page) => {
  for (const row of rows()) {
    const fresh = page.querySelector(`.outline-row[data-code="${CSS.escape(codeOf(row))}"] > a`);
    if (!fresh) continue;
    const [old, now] = [[...linkOf(row).children], [...fresh.children]];
    if (old.length === now.length && now.every((part, at) => part.isEqualNode(old[at]))) continue;
    // Its label may be typed on.
    const label = row.querySelector(".outline-label");
    const parts = [...document.importNode(fresh, true).children];
    linkOf(row).replaceChildren(...parts.map((part) => (part.matches(".outline-label") ? label : part)));
  }
};

const LOOK_AFTER = 400;
let looking;
const lookLater = () => {
  clearTimeout(looking);
  looking = setTimeout(async () => {
    const { version } = shown;
    const page = await drawn();
    if (page && shown.version === version) redraw(page);
  }, LOOK_AFTER);
};

// What a refusal says is on the page that the plain post leads to.
const post = (act, codes, more) => {
  for (const row of rows()) row.querySelector(".row-tick").checked = codes.includes(codeOf(row));
  const button = many.querySelector(`button[value="${act}"]`);
  for (const [name, value] of Object.entries(more ?? {})) {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name, value });
    many.append(input);
  }
  many.requestSubmit(button ?? undefined);
};

const move = async (codes, act, more) => {
  const focused = document.activeElement.closest?.(".outline-row");
  const data = await send(act, codes, more).catch(() => undefined);
  if (!data) return post(act, codes, more);
  put(data.order);
  lookLater();
  linkOf(focused)?.focus();
  const all = rows();
  const at = data.order.indexOf(codes[0]) + 1;
  const label = all[at - 1]?.querySelector(".outline-label").textContent ?? "";
  const breaks = (some) => some.filter((row) => row.classList.contains("page-break")).length;
  const { moved, movedToPage } = list.dataset;
  const words = breaks(all) ? movedToPage.replace("{page}", breaks(all.slice(0, at)) + 1) : moved;
  say(words.replace("{place}", at).replace("{count}", data.order.length).replace("{label}", () => label));
  return refresh();
};

const chosen = (row) => {
  const all = ticked();
  return (all.length ? all : [row]).map(codeOf);
};

// Keys. The list is one stop of the Tab key: the link of its current row.

let current = 0;

const moveTo = (at) => {
  const all = rows();
  if (!all[at]) return;
  for (const [other, row] of all.entries()) {
    for (const element of row.querySelectorAll("a, input")) element.tabIndex = -1;
    if (other === at) linkOf(row).tabIndex = 0;
  }
  current = at;
};

const focusRow = (at) => {
  const row = rows()[at];
  if (!row) return;
  moveTo(at);
  linkOf(row).focus();
};

const add = () => {
  const row = rows()[current];
  location.assign(page(`?add=${row ? codeOf(row) : ""}`));
};

// A link between two rows, where the pointer is.
const addLink = document.getElementById("add-here")?.content.firstElementChild.cloneNode(true);

const showAdd = (row) => {
  if (!row || addLink.parentElement === row) return;
  addLink.href = page(`?add=${codeOf(row)}`);
  row.append(addLink);
};

const typeLabel = (row) => {
  const own = document.getElementById("label");
  if (linkOf(row).ariaCurrent === "true" && own) own.focus();
  else location.assign(`${linkOf(row).href}#label`);
};

const keys = {
  j: () => focusRow(current + 1),
  k: () => focusRow(current - 1),
  ArrowDown: () => focusRow(current + 1),
  ArrowUp: () => focusRow(current - 1),
  Home: () => focusRow(0),
  End: () => focusRow(rows().length - 1),
  x: (row) => {
    const tick = row.querySelector(".row-tick");
    tick.checked = !tick.checked;
    tickTo(row, false);
  },
  X: (row) => {
    row.querySelector(".row-tick").checked = true;
    tickTo(row, true);
  },
  D: (row) => post("copy", chosen(row)),
  r: (row) => post("required", chosen(row)),
  h: (row) => post("hidden", chosen(row)),
  F2: typeLabel,
  m: (row) => location.assign(`${linkOf(row).href}#question-after`),
  Delete: (row) => post("remove", chosen(row)),
  "/": add,
  "／": add,
  Escape: () => {
    for (const row of rows()) row.querySelector(".row-tick").checked = false;
    showCount();
  },
};

const isTyping = (target) => target.closest?.("input:not([type=checkbox]), select, textarea, [contenteditable]");

const onKey = (event) => {
  if (isComposing(event)) return;
  const row = event.target.closest(".outline-row");
  if (event.altKey && ["ArrowUp", "ArrowDown"].includes(event.key)) {
    event.preventDefault();
    move(chosen(row), event.key === "ArrowUp" ? "up" : "down");
    return;
  }
  if (isOff(event) || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key](row);
};

// Undo of what is being typed is the browser's.
const onUndo = (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || isTyping(event.target)) return;
  const button = document.getElementById(event.shiftKey ? "redo" : "undo");
  event.preventDefault();
  if (!button.disabled) button.form.requestSubmit();
};

// Enter ends the text of a question, Escape leaves its properties: the keys of the list go on from there.
const onPanelKey = (event) => {
  const { target } = event;
  const isEnd = event.key === "Enter" && target.id === "label" && !event.shiftKey;
  if (!isEnd && (event.key !== "Escape" || !isTyping(target)) || event.defaultPrevented || isComposing(event)) return;
  event.preventDefault();
  const row = rows().find((own) => linkOf(own).ariaCurrent === "true");
  // A phone shows no list beside.
  if (row?.checkVisibility()) linkOf(row).focus();
  else target.blur();
};

// What a question lacks, as its row says it.
const showFaults = (row, words) => {
  row?.querySelector(".outline-fault")?.remove();
  if (!row || !words) return;
  const mark = Object.assign(document.createElement("span"), { className: "outline-fault", title: words });
  mark.append(Object.assign(document.createElement("span"), { className: "visually-hidden", textContent: words }));
  linkOf(row).append(mark);
};

// Who else is here, and what they changed. Rows follow, unless somebody types in the question.

const shown = { version: Number(list?.dataset.version) };

const ask = async () => {
  if (document.visibilityState !== "visible") return;
  const field = new URLSearchParams(location.search).get("field") ?? "";
  try {
    const answer = await fetch(`${list.dataset.state}?since=${shown.version}&field=${field}`, {
      headers: { Accept: "application/json" },
    });
    if (!answer.ok) return;
    const { data } = await answer.json();
    const people = document.getElementById("people");
    if (people.textContent !== data.words) people.textContent = data.words;
    // A long one is cut.
    people.title = data.words;
    if (data.version === shown.version) return;
    shown.version = data.version;
    for (const { code, label } of data.changed) {
      const row = rows().find((known) => codeOf(known) === code);
      if (row && label) row.querySelector(".outline-label").textContent = label;
    }
    if (data.changed.length) refresh();
  } catch {
    // Without a connection nothing is known; the next time may tell.
  }
};

if (list?.dataset.action) {
  list.dataset.live = "";
  list.addEventListener("click", (event) => {
    if (event.target.matches(".row-tick")) tickTo(event.target.closest(".outline-row"), event.shiftKey);
  });
  list.addEventListener("mouseover", (event) => showAdd(event.target.closest(".outline-row")));
  list.addEventListener("focusin", (event) => moveTo(rows().indexOf(event.target.closest(".outline-row"))));
  list.addEventListener("keydown", onKey);
  addEventListener("keydown", onUndo);
  restore(ticks());
  addEventListener("pageshow", showCount);
  moveTo(Math.max(0, rows().findIndex((row) => linkOf(row).ariaCurrent === "true")));
  drag(list, (row, before) => move(chosen(row), "move", { after: before ? codeOf(before) : "" }));
  // The panel saves by itself: the list and the preview follow what is typed.
  addEventListener("question-typed", ({ detail }) => {
    const row = rows().find((known) => codeOf(known) === detail.code);
    if (!row || detail.path !== "label" || !detail.value) return;
    const label = row.querySelector(".outline-label");
    label.textContent = detail.value;
    label.classList.remove("untitled");
  });
  addEventListener("question-saved", ({ detail }) => {
    shown.version = detail.version;
    document.getElementById("undo").disabled = !detail.can_undo;
    document.getElementById("redo").disabled = !detail.can_redo;
    showFaults(rows().find((row) => codeOf(row) === detail.code), detail.faults);
    refresh();
  });
  document.getElementById("panel")?.addEventListener("keydown", onPanelKey);
  setInterval(ask, ASK_EVERY);
  ask();
}

// Whoever chose a row goes on from there; the list alone scrolls to it.
const here = list && rows().find((row) => linkOf(row).ariaCurrent === "true");
if (here) {
  const box = list.closest("[data-scrolls]");
  box.scrollTop += here.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
  const isWithin = document.referrer && new URL(document.referrer).pathname === location.pathname;
  if (isWithin && !location.hash && document.activeElement === document.body) linkOf(here).focus({ preventScroll: true });
}

// A new question waits for its text, and one whose text was asked for.
const label = document.getElementById("label");
if (label && (!label.value || location.hash === "#label")) requestAnimationFrame(() => label.focus());
