// The rows of a table that are worked by keys. The table is one stop of the Tab key: the link of its current row, or
// the cell that the arrows chose in it.
import { isText } from "./keys.js";

const FOCUS = "rows-focused";

// Leads to another page of the list, whose first row takes the focus, or its last one.
export const turnTo = (rel, end = "first") => {
  const link = document.querySelector(`.pager a[rel="${rel}"]`);
  if (!link) return false;
  sessionStorage.setItem(FOCUS, `${end} ${location.pathname}`);
  link.click();
  return true;
};

// Where nothing has the focus, or a part of the page as a whole, a key that only moves it leads into the list.
const leadIn = (key, act) => addEventListener("keydown", (event) => {
  const { target } = event;
  if (event.key !== key || !target.matches("body, #main, #work") || isText(event)) return;
  event.preventDefault();
  act();
});

// The first row that a search finds takes the focus, so that Enter opens it. Answers what leads to the search.
export const focusFound = (input) => {
  const find = () => {
    input?.focus();
    input?.select();
  };
  input?.form.addEventListener("submit", () => sessionStorage.setItem(FOCUS, `first ${location.pathname}`));
  if (!document.querySelector("table.data tbody")) sessionStorage.removeItem(FOCUS);
  if (input) leadIn("/", find);
  return find;
};

// The row of this entry takes the focus where the page is loaded again.
export const comeBackTo = (serial) => sessionStorage.setItem(FOCUS, `${serial} ${location.pathname}`);

// The same, and now.
export const refocus = (serial) => {
  const links = [...document.querySelectorAll("table.data tbody th > a")];
  links.find((link) => link.textContent === serial)?.focus();
  comeBackTo(serial);
};

// Answers what moves through the rows and says which one is current; `keys` are further ones, by name.
export const workRows = (table, keys, passed = () => {}) => {
  const rows = [...table.querySelectorAll("tbody > tr")];
  const links = rows.map((row) => row.querySelector("th > a"));
  const place = { row: 0, cell: 0 };
  let stop;
  let before = "";

  // A cell's own button, if it has one.
  const stopAt = (row, cell) => {
    const chosen = rows[row].cells[cell];
    return cell === 0 ? links[row] : chosen.querySelector("a, button:not([popover] *)") ?? chosen;
  };

  const moveTo = (row, cell) => {
    if (!links[row] || !rows[row].cells[cell]) return false;
    if (stop) stop.tabIndex = -1;
    stop = stopAt(row, cell);
    stop.tabIndex = 0;
    place.row = row;
    place.cell = cell;
    return true;
  };

  const focusOn = (row, cell = place.cell) => {
    if (!moveTo(row, cell)) return;
    stop.focus();
    passed(links[row]);
  };

  const own = {
    j: () => place.row + 1 < rows.length ? focusOn(place.row + 1) : turnTo("next"),
    k: () => focusOn(place.row - 1),
    ArrowDown: () => focusOn(place.row + 1),
    ArrowUp: () => focusOn(place.row - 1),
    ArrowRight: () => focusOn(place.row, place.cell + 1),
    ArrowLeft: () => focusOn(place.row, place.cell - 1),
    Home: () => focusOn(0),
    End: () => focusOn(rows.length - 1),
    G: () => turnTo("last", "last") || focusOn(rows.length - 1),
    o: () => links[place.row].click(),
    ...keys,
  };
  const gg = () => turnTo("first") || focusOn(0);

  // Browsers leave what is half in view as it is. A press of the pointer would miss what moves beneath it.
  table.addEventListener("focusin", ({ target }) => {
    if (target.matches(":focus-visible")) target.closest("th, td")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  });

  if (!links.some(Boolean)) return { rows, links, place, focusOn };
  for (const element of table.querySelectorAll("tbody :is(a, input, button, audio)")) {
    if (!element.closest("[popover]")) element.tabIndex = -1;
  }
  table.setAttribute("role", "grid");
  for (const cell of table.querySelectorAll("tbody td")) {
    cell.setAttribute("role", "gridcell");
    cell.tabIndex = -1;
  }
  moveTo(0, 0);
  table.addEventListener("focusin", (event) => {
    const cell = event.target.closest("tbody > tr > *");
    if (cell && !event.target.closest("[popover]")) moveTo(rows.indexOf(cell.parentElement), cell.cellIndex);
  });
  table.addEventListener("keydown", (event) => {
    if (isText(event) || !event.target.closest("tbody") || event.target.closest("[popover]")) return;
    const isSecond = event.key === "g" && before === "g";
    before = isSecond ? "" : event.key;
    const act = isSecond ? gg : Object.hasOwn(own, event.key) && own[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  leadIn("j", () => focusOn(place.row));
  const [end, path] = sessionStorage.getItem(FOCUS)?.split(" ") ?? [];
  const named = links.findIndex((link) => link?.textContent === end);
  if (path === location.pathname) focusOn(end === "last" ? rows.length - 1 : Math.max(named, 0));
  sessionStorage.removeItem(FOCUS);
  return { rows, links, place, focusOn };
};
