// A list of entries: ticked rows, the keys of the list, and whether entries came since it was shown.
import { isComposing } from "./focus.js";

const ASK_EVERY = 5000;

const table = document.querySelector("table.data");
const bar = document.getElementById("chosen");
const rows = [...table?.querySelectorAll("tbody > tr") ?? []];
const ticks = rows.map((row) => row.querySelector("input.row-tick")).filter(Boolean);

// Ticks.

const count = bar?.querySelector("[data-count]");
let lastTick;

const showCount = () => {
  const chosen = ticks.filter((tick) => tick.checked).length;
  if (count) count.textContent = chosen ? count.dataset.count.replace("{n}", chosen) : "";
  for (const [at, row] of rows.entries()) row.toggleAttribute("data-chosen", Boolean(ticks[at]?.checked));
};

const tickTo = (tick, isRange) => {
  const from = ticks.indexOf(lastTick);
  const to = ticks.indexOf(tick);
  if (isRange && from >= 0) {
    for (const between of ticks.slice(Math.min(from, to), Math.max(from, to) + 1)) between.checked = tick.checked;
  }
  lastTick = tick;
  showCount();
};

for (const tick of ticks) tick.addEventListener("click", (event) => tickTo(tick, event.shiftKey));
bar?.querySelector("[data-all]")?.addEventListener("click", () => {
  for (const tick of ticks) tick.checked = true;
  showCount();
});
// The browser's history shows the page as it was left.
addEventListener("pageshow", showCount);

// Keys. The list is one stop of the Tab key: the link of its current row.

const links = rows.map((row) => row.querySelector("th > a"));
let current = 0;

const moveTo = (at) => {
  if (!links[at]) return;
  for (const [other, row] of rows.entries()) {
    for (const element of row.querySelectorAll("a, input, button, audio")) element.tabIndex = -1;
    if (other === at) links[at].tabIndex = 0;
  }
  current = at;
};

const focusRow = (at) => {
  if (!links[at]) return;
  moveTo(at);
  links[at].focus();
};

const follow = (selector) => document.querySelector(selector)?.click();

const trash = () => {
  const button = bar?.querySelector('button[value="trash"]');
  if (!button) return;
  if (!ticks.some((tick) => tick.checked)) ticks[current].checked = true;
  bar.requestSubmit(button);
};

const choose = (isRange) => {
  const tick = ticks[current];
  if (!tick) return;
  tick.checked = isRange || !tick.checked;
  tickTo(tick, isRange);
};

const keys = {
  j: () => current + 1 < rows.length ? focusRow(current + 1) : follow('.pager a[rel="next"]'),
  k: () => focusRow(current - 1),
  ArrowDown: () => focusRow(current + 1),
  ArrowUp: () => focusRow(current - 1),
  Home: () => focusRow(0),
  End: () => focusRow(rows.length - 1),
  o: () => links[current].click(),
  x: () => choose(false),
  X: () => choose(true),
  "#": trash,
  Delete: trash,
  "[": () => follow('.pager a[rel="prev"]'),
  "]": () => follow('.pager a[rel="next"]'),
  "/": () => document.getElementById("keyword")?.focus(),
  c: () => {
    const summary = document.querySelector("#column-choice summary");
    summary.parentElement.open = true;
    summary.focus();
  },
  Escape: () => {
    for (const tick of ticks) tick.checked = false;
    showCount();
  },
};

if (links.some(Boolean)) {
  moveTo(0);
  table.addEventListener("focusin", (event) => {
    const at = rows.indexOf(event.target.closest("tbody > tr"));
    if (at >= 0) moveTo(at);
  });
  table.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isComposing(event)) return;
    if (!event.target.closest("tbody") || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
}

const help = document.getElementById("keys");
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input:not([type=checkbox]), select, textarea");
  if (event.key !== "?" || !help || help.open || isTyping || isComposing(event)) return;
  event.preventDefault();
  help.showModal();
});

// New entries. Rows never move by themselves.

const news = document.getElementById("new-entries");

const askForNew = async () => {
  if (document.visibilityState !== "visible") return;
  try {
    const answer = await fetch(news.dataset.state, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const { data } = await answer.json();
    news.hidden = data.new_entries === 0;
    news.firstElementChild.textContent = data.words;
  } catch {
    // Without a connection nothing is known; the next time may tell.
  }
};

if (news) setInterval(askForNew, ASK_EVERY);
