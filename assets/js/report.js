// The tables of a report, copied as spreadsheets take them: a line a row, a tab between cells.
import { copyText, makeCopyButton } from "./copy_button.js";

// What is only seen, such as the heading before a value on a phone, is no part of a cell.
const text = (cell) => {
  const copy = cell.cloneNode(true);
  for (const seen of copy.querySelectorAll("[aria-hidden]")) seen.remove();
  return copy.textContent.replace(/\s+/g, " ").trim();
};

const asText = (table) =>
  [...table.rows].map((row) => [...row.cells].map(text).join("\t")).join("\n");

for (const button of document.querySelectorAll("button[data-copy-table]")) {
  const tables = [...button.closest("details").querySelectorAll("table")];
  makeCopyButton(button, () => copyText(tables.map(asText).join("\n\n"), button));
}
