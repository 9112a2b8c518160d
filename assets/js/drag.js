// Dragging a row of a list by its handle. Keys and buttons do the same.

const THRESHOLD = 6;
const EDGE = 48;
// Pixels a step of scrolling near an edge: the longer it goes on, the more.
const STEP = 12;
const FASTER = 0.5;
const MOST = 80;

// The rows are the list's children, each with its handle as a child. `drop` gets the row and the one that it now follows,
// if any.
export const drag = (list, drop) => {
  // The box that scrolls the list, where it has one: on a phone the page does.
  const box = list.closest("[data-scrolls]");
  const isBoxed = () => box !== null && box.scrollHeight > box.clientHeight;
  const scrolled = () => (isBoxed() ? box.scrollTop : 0) + scrollY;
  const scrollOn = (by) => {
    const before = box?.scrollTop;
    if (isBoxed()) box.scrollBy(0, by);
    if (isBoxed() && box.scrollTop !== before) return;
    // At its end, what the window does not show of the box is scrolled to.
    const { top, bottom } = isBoxed() ? box.getBoundingClientRect() : { top: -Infinity, bottom: Infinity };
    window.scrollBy(0, by < 0 ? Math.max(by, Math.min(top, 0)) : Math.min(by, Math.max(bottom - innerHeight, 0)));
  };
  const edges = () => {
    if (!isBoxed()) return { top: 0, bottom: innerHeight };
    const { top, bottom } = box.getBoundingClientRect();
    return { top: Math.max(top, 0), bottom: Math.min(bottom, innerHeight) };
  };
  let row;
  let began;
  let places;
  let target;
  let marked;
  let pointer;
  let heading;
  let timer;

  const mark = (other, where) => {
    if (marked && marked !== other) delete marked.dataset.drop;
    marked = other;
    if (marked) marked.dataset.drop = where;
  };

  const onKey = (event) => { if (event.key === "Escape" && places) end(); };

  const end = () => {
    removeEventListener("keydown", onKey);
    clearInterval(timer);
    timer = undefined;
    mark();
    if (row) delete row.dataset.dragged;
    row = target = places = undefined;
  };

  // Positions are measured once; only scrolling moves them.
  const measure = () => {
    places = [...list.children].map((other) => {
      const { top, height } = other.getBoundingClientRect();
      return { row: other, middle: top + height / 2 + scrolled() };
    });
  };

  const point = (y) => {
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[middle].middle < y + scrolled()) low = middle + 1; else high = middle;
    }
    target = low;
    if (low > 0) mark(places[low - 1].row, "after");
    else mark(places[0].row, "before");
  };

  list.addEventListener("pointerdown", (event) => {
    // Rows may hold lists of their own.
    if (!event.target.matches(".handle") || event.button || event.target.parentElement.parentElement !== list) return;
    row = event.target.parentElement;
    began = event.clientY;
    event.target.setPointerCapture(event.pointerId);
    event.preventDefault();
    addEventListener("keydown", onKey);
  });
  list.addEventListener("pointermove", (event) => {
    if (!row) return;
    if (!places) {
      if (Math.abs(event.clientY - began) < THRESHOLD) return;
      row.dataset.dragged = "";
      measure();
    }
    pointer = event.clientY;
    point(pointer);
    const { top, bottom } = edges();
    const way = pointer < top + EDGE ? -1 : pointer > bottom - EDGE ? 1 : 0;
    if (way === heading && timer) return;
    clearInterval(timer);
    [heading, timer] = [way, undefined];
    if (!way) return;
    let by = STEP;
    timer = setInterval(() => {
      scrollOn(way * by);
      by = Math.min(by + FASTER, MOST);
      point(pointer);
    }, 16);
  });
  list.addEventListener("pointerup", () => {
    const [moved, at, known] = [row, target, places];
    end();
    if (!known) return;
    const before = known.slice(0, at).map((place) => place.row).filter((other) => other !== moved).at(-1);
    drop(moved, before);
  });
  list.addEventListener("pointercancel", end);
  list.addEventListener("lostpointercapture", end);
};
