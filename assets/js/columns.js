// The columns of a table: those that stay in view while it scrolls sideways, and the search in the choice of them.

const table = document.querySelector("table.data");
const head = [...table?.tHead.querySelectorAll(".frozen") ?? []];

// They leave room for the others, else nothing could be read; on a phone rows are cards.
const MOST_OF_THE_WIDTH = 0.7;

const freeze = () => {
  const widths = head.map((cell) => cell.getBoundingClientRect().width);
  const all = widths.reduce((sum, width) => sum + width, 0);
  const isTable = getComputedStyle(table).display === "table";
  const fits = isTable && all < table.parentElement.clientWidth * MOST_OF_THE_WIDTH;
  table.toggleAttribute("data-frozen", fits);
  table.parentElement.style.scrollPaddingInlineStart = fits ? `${all}px` : "";
  if (!fits) return;
  for (const row of table.rows) {
    let start = 0;
    for (const [at, cell] of [...row.querySelectorAll(".frozen")].entries()) {
      cell.style.insetInlineStart = `${start}px`;
      start += widths[at];
    }
  }
};

if (head.length) new ResizeObserver(freeze).observe(table.parentElement);

const find = document.getElementById("find-column");

if (find) {
  const input = find.querySelector("input");
  const rows = [...document.querySelectorAll(".column-rows > li")];
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase();
    for (const row of rows) {
      row.hidden = !row.querySelector(".column-tick").textContent.toLowerCase().includes(words);
    }
  });
  // Else Enter would show the table before anything was ticked.
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
}
