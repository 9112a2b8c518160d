// A list of entries: ticked rows, the keys of the list, and whether entries came since it was shown.
import { close, isOpen, show, swap } from "./beside.js";
import { keep, restore } from "./kept_ticks.js";
import { isTyping } from "./keys.js";
import { comeBackTo, focusFound, turnTo, workRows } from "./rows.js";

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
  keep(ticks);
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
restore(ticks);
addEventListener("pageshow", showCount);

// On a phone, a press on a card chooses it in this mode, else opens it.

const mode = document.querySelector("[data-select]");
const isSelecting = () => table.hasAttribute("data-selecting");

const select = (is) => {
  table.toggleAttribute("data-selecting", is);
  mode.textContent = is ? mode.dataset.done : mode.dataset.select;
  if (!is) for (const tick of ticks) tick.checked = false;
  showCount();
};

mode?.addEventListener("click", () => select(!isSelecting()));
if (mode?.checkVisibility() && ticks.some((tick) => tick.checked)) select(true);
if (mode) {
  table.addEventListener("click", (event) => {
    const tick = isSelecting() && event.target.closest("tbody > tr")?.querySelector("input.row-tick");
    if (!tick || event.target === tick) return;
    event.preventDefault();
    tick.checked = !tick.checked;
    tickTo(tick, false);
  });
}

// Keys.

const find = focusFound(document.getElementById("keyword"));

const follow = (address) => location.assign(address);

// Keys go on at the row after those that are gone, else at the one before them.
const act = (name) => {
  const button = bar?.querySelector(`button[value="${name}"]`);
  if (!button) return;
  const { row } = list.place;
  if (!ticks.some((tick) => tick.checked)) ticks[row].checked = true;
  const rest = [...ticks.slice(row), ...ticks.slice(0, row).reverse()].find((tick) => !tick.checked);
  if (name === "trash" && rest) comeBackTo(rest.value);
  bar.requestSubmit(button);
};

const choose = (isRange) => {
  const tick = ticks[list.place.row];
  if (!tick) return;
  tick.checked = isRange || !tick.checked;
  tickTo(tick, isRange);
};

// The server knows how the column is compared, and says so where it is not.
const filterByCell = () => {
  const { row, cell } = list.place;
  const name = table.tHead.rows[0].cells[cell].dataset.column;
  if (!name) return;
  const address = new URL(location);
  for (const old of ["cursor", "unfiltered", "trashed", "open"]) address.searchParams.delete(old);
  address.searchParams.set("cell", `${ticks[row].value}.${name}`);
  follow(address);
};

const edit = () => {
  if (!bar?.querySelector('button[value="trash"]')) return;
  const link = list.links[list.place.row];
  const address = new URL(link.href);
  address.pathname += "/edit";
  if (!show(link, "/edit")) follow(address);
};

const list = table && workRows(table, {
  x: () => choose(false),
  X: () => choose(true),
  e: edit,
  f: filterByCell,
  p: () => act("print"),
  "#": () => act("trash"),
  Delete: () => act("trash"),
  "[": () => turnTo("prev"),
  "]": () => turnTo("next"),
  "/": find,
  c: () => {
    const summary = document.querySelector("#column-choice summary");
    if (!summary) return;
    summary.parentElement.open = true;
    summary.focus();
  },
  Escape: () => {
    if (isOpen()) {
      close();
      return;
    }
    for (const tick of ticks) tick.checked = false;
    showCount();
  },
}, (link) => { if (isOpen()) swap(link); });

// Undo of what is being typed is the browser's.
const undo = document.querySelector('.message form[action*="/trash/chosen"]');

undo?.addEventListener("submit", () => comeBackTo(undo.querySelector("[name=serial]").value));
addEventListener("keydown", (event) => {
  const isKey = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (!undo || !isKey || event.key.toLowerCase() !== "z" || isTyping(event)) return;
  event.preventDefault();
  undo.requestSubmit();
});

// Other presses of the mouse open tabs and windows.
for (const link of list?.links ?? []) {
  link?.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
    if (show(link)) event.preventDefault();
  });
}

// New entries, and rows that were changed elsewhere. Rows never move by themselves.

const news = document.getElementById("new-entries");

const mark = (serials) => {
  for (const [at, tick] of ticks.entries()) {
    const cell = tick.closest("th");
    if (!serials.includes(Number(tick.value)) || cell.querySelector(".row-dot")) continue;
    rows[at].toggleAttribute("data-changed", true);
    cell.append(news.querySelector("template").content.firstElementChild.cloneNode(true));
  }
};

const askForNew = async () => {
  if (document.visibilityState !== "visible") return;
  const address = new URL(news.dataset.state, location);
  address.searchParams.set("shown", ticks.map((tick) => tick.value).join(","));
  try {
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const { data } = await answer.json();
    news.hidden = data.new_entries === 0;
    news.firstElementChild.textContent = data.words;
    mark(data.changed);
  } catch {
    // Without a connection nothing is known; the next time may tell.
  }
};

if (news) setInterval(askForNew, ASK_EVERY);
