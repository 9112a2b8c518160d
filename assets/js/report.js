// The tables of a report, copied as spreadsheets take them: a line a row, a tab between cells. `data-copied` is the
// button's label afterwards. The nodes of the button are restored, with its text for screen readers.

const LABEL_TIME = 2500;

// What is only seen, such as the heading before a value on a phone, is no part of a cell.
const text = (cell) => {
  const copy = cell.cloneNode(true);
  for (const seen of copy.querySelectorAll("[aria-hidden]")) seen.remove();
  return copy.textContent.replace(/\s+/g, " ").trim();
};

export const asText = (table) =>
  [...table.rows].map((row) => [...row.cells].map(text).join("\t")).join("\n");

// Outside secure contexts, such as plain HTTP in a local network, there is no clipboard API.
const copyBySelection = (words) => {
  const area = document.createElement("textarea");
  area.value = words;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
};

const copy = async (words) => {
  try {
    await navigator.clipboard.writeText(words);
    return true;
  } catch {
    return copyBySelection(words);
  }
};

for (const button of document.querySelectorAll("button[data-copy-table]")) {
  const words = [...button.childNodes];
  const status = document.createElement("span");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  button.after(status);
  let timer;
  button.addEventListener("click", async () => {
    const done = await copy(asText(button.closest("details").querySelector("table")));
    button.focus();
    if (!done) return;
    button.style.minWidth = `${button.offsetWidth}px`;
    button.textContent = button.dataset.copied;
    status.textContent = button.dataset.copied;
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.replaceChildren(...words);
      status.textContent = "";
    }, LABEL_TIME);
  });
}
