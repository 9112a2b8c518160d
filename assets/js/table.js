// Tables: adds and removes rows. A new row is a copy of the page's template, with its index filled in; empty rows meant
// for pages without scripts are removed.

const NAMES = ["id", "name", "for", "aria-labelledby", "aria-describedby", "data-cell", "data-clear"];

const controls = (row) => [...row.querySelectorAll("input, select, textarea")];

const isUntouched = (control) => (
  control.matches("[type=checkbox], [type=radio]") ? control.checked === control.defaultChecked
    : control.matches("select") ? control.selectedIndex <= 0 || control.selectedOptions[0].defaultSelected
      : control.value === control.defaultValue
);

// Sets a row's index in names, ids, references and labels.
const setIndex = (row, name, index) => {
  const from = row.dataset.cell;
  const to = `${name}[${index}]`;
  if (from === to) return;
  const legend = row.querySelector("legend");
  const oldLegend = legend.textContent;
  const newLegend = legend.dataset.rowText.replace("#", index + 1);
  for (const element of [row, ...row.querySelectorAll("*")]) {
    for (const key of NAMES) {
      const value = element.getAttribute(key);
      if (value?.includes(from)) element.setAttribute(key, value.replaceAll(from, to));
    }
    const label = element.getAttribute("aria-label");
    if (label?.includes(oldLegend)) element.setAttribute("aria-label", label.replace(oldLegend, newLegend));
    const text = element.dataset.rowText;
    if (text) element.textContent = text.replace("#", index + 1);
  }
};

const setUp = (table) => {
  const name = table.dataset.rows;
  const least = Number(table.dataset.least);
  const most = Number(table.dataset.most);
  const add = table.querySelector("[data-add]");
  const status = table.querySelector("[role=status]");
  const blank = table.querySelector("template").content.firstElementChild;
  const rows = () => [...table.querySelectorAll(":scope > .grid-row")];

  const refresh = () => {
    const count = rows().length;
    add.hidden = count >= most;
    for (const button of table.querySelectorAll("button[data-remove]")) button.hidden = count <= least;
  };

  const say = (words, index) => {
    status.textContent = words.replace("#", index + 1);
    table.dispatchEvent(new Event("change", { bubbles: true }));
  };

  for (const row of rows().filter((row) => row.matches(".spare"))) {
    if (controls(row).every(isUntouched)) row.remove();
    else row.classList.remove("spare");
  }
  table.classList.add("has-script");
  refresh();

  const append = () => {
    const row = blank.cloneNode(true);
    const index = rows().length;
    add.before(row);
    setIndex(row, name, index);
    return { row, index };
  };

  // A draft may need more rows.
  table.closest("[data-field]").addEventListener("grow", (event) => {
    const places = event.detail.map(([path]) => Number(path.slice(name.length + 1).split("]")[0]));
    const wanted = Math.min(most, Math.max(...places.filter(Number.isInteger)) + 1);
    while (rows().length < wanted) append();
    refresh();
  });

  add.addEventListener("click", () => {
    const { row, index } = append();
    refresh();
    (controls(row).find((control) => control.type !== "hidden") ?? add).focus();
    say(table.dataset.added, index);
  });

  table.addEventListener("click", (event) => {
    const row = event.target.closest("button[data-remove]")?.closest(".grid-row");
    if (!row) return;
    const index = rows().indexOf(row);
    row.remove();
    rows().forEach((other, at) => setIndex(other, name, at));
    refresh();
    // To the row that took its place, else to the one before it.
    const next = rows()[index]?.querySelector("button[data-remove]:not([hidden])");
    (next ?? (add.hidden ? controls(rows().at(-1))[0] : add)).focus();
    say(table.dataset.removed, index);
  });
};

for (const table of document.querySelectorAll("[data-rows]")) setUp(table);
