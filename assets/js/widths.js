// The edge of a column's head, pulled to make the column narrow, normal or wide. The choice of columns does the same by
// keys.

const table = document.querySelector("table.data");
const heads = [...table?.tHead.querySelectorAll("th[data-width]") ?? []].filter((head) => head.cellIndex > 0);

// The widths of texts in the stylesheet, in rem; an end of a pull belongs to the nearest one.
const WIDTHS = [["narrow", 8], ["normal", 16], ["wide", 32]];

const nearest = (pixels) => {
  const rem = pixels / Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const distance = ([, width]) => Math.abs(Math.log(Math.max(rem, 1) / width));
  return WIDTHS.toSorted((a, b) => distance(a) - distance(b))[0][0];
};

// The address names each column that is shown, and its width where it is not the normal one.
const show = () => {
  const columns = heads.map(({ dataset }) => dataset.width === "normal" ? dataset.column : `${dataset.column}:${dataset.width}`);
  const address = new URL(location);
  address.searchParams.set("columns", columns.join(","));
  location.assign(address);
};

const pull = (head, grip, start) => {
  const width = head.getBoundingClientRect().width;
  let by = 0;
  const move = (event) => {
    by = event.clientX - start.clientX;
    grip.style.transform = `translateX(${by}px)`;
  };
  const end = () => {
    grip.removeEventListener("pointermove", move);
    grip.removeAttribute("data-pulled");
    grip.style.transform = "";
    const chosen = nearest(width + by);
    // From its own width, a pull in one direction goes on by one at least.
    const names = WIDTHS.map(([name]) => name);
    const [at, to] = [head.dataset.width, chosen].map((name) => names.indexOf(name));
    const isPulled = Math.abs(by) > 24;
    const next = by > 0 ? Math.max(to, Math.min(at + 1, 2)) : Math.min(to, Math.max(at - 1, 0));
    if (!isPulled || names[next] === head.dataset.width) return;
    head.dataset.width = names[next];
    show();
  };
  grip.style.blockSize = `${table.getBoundingClientRect().height}px`;
  grip.toggleAttribute("data-pulled", true);
  grip.setPointerCapture(start.pointerId);
  grip.addEventListener("pointermove", move);
  grip.addEventListener("lostpointercapture", end, { once: true });
};

for (const head of heads) {
  const grip = document.createElement("span");
  grip.dataset.grip = "";
  grip.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    pull(head, grip, event);
  });
  head.append(grip);
}
