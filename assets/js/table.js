// Tables: rows come and go. Each is the blank row of the page's own template, with the numbers in its
// names and words filled in; the rows of a page without a script that nothing stands in go at once.

const NAMES = ["id", "name", "for", "aria-labelledby", "aria-describedby", "data-cell"];

const controls = (row) => [...row.querySelectorAll("input, select, textarea")];

const isBlank = (control) => (
  control.matches("[type=checkbox], [type=radio]") ? !control.checked
    : control.matches("select") ? control.selectedIndex <= 0
      : control.value === ""
);

// Gives a row its place: all that names the old one names the new one.
const place = (row, name, index) => {
  const from = row.dataset.cell;
  const to = `${name}[${index}]`;
  const legend = row.querySelector("legend");
  const was = legend.textContent;
  const is = legend.dataset.rowText.replace("#", index + 1);
  for (const element of [row, ...row.querySelectorAll("*")]) {
    for (const key of NAMES) {
      const value = element.getAttribute(key);
      if (value?.includes(from)) element.setAttribute(key, value.replaceAll(from, to));
    }
    const label = element.getAttribute("aria-label");
    if (label?.includes(was)) element.setAttribute("aria-label", label.replace(was, is));
    const text = element.dataset.rowText;
    if (text) element.textContent = text.replace("#", index + 1);
  }
};

const start = (table) => {
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
    for (const button of table.querySelectorAll("[data-remove]")) button.hidden = count <= least;
  };

  const say = (words, index) => {
    status.textContent = words.replace("#", index + 1);
    table.dispatchEvent(new Event("change", { bubbles: true }));
  };

  for (const row of rows().filter((row) => row.matches(".spare"))) {
    if (controls(row).every(isBlank)) row.remove();
    else row.classList.remove("spare");
  }
  rows().forEach((row, index) => place(row, name, index));
  table.classList.add("has-script");
  refresh();

  add.addEventListener("click", () => {
    const index = rows().length;
    const row = blank.cloneNode(true);
    add.before(row);
    place(row, name, index);
    refresh();
    (controls(row).find((control) => control.type !== "hidden") ?? add).focus();
    say(table.dataset.added, index);
  });

  table.addEventListener("click", (event) => {
    const row = event.target.closest("[data-remove]")?.closest(".grid-row");
    if (!row) return;
    const index = rows().indexOf(row);
    row.remove();
    rows().forEach((other, at) => place(other, name, at));
    refresh();
    // To the row that took its place, else to the one before it.
    const next = rows()[index]?.querySelector("[data-remove]:not([hidden])");
    (next ?? (add.hidden ? controls(rows().at(-1))[0] : add)).focus();
    say(table.dataset.removed, index);
  });
};

for (const table of document.querySelectorAll("[data-rows]")) start(table);
