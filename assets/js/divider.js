// The line between the table and what stands beside it: a pointer pulls it, keys and buttons move it. The browser keeps
// its place.

const KEY = "formsvc.beside";
// Percent of the window.
const LEAST = 30;
const MOST = 65;
const FIRST = 45;
const STEP = 5;

const kept = () => {
  try {
    return Number(localStorage.getItem(KEY)) || FIRST;
  } catch {
    // The browser stores nothing.
    return FIRST;
  }
};

const keep = (percent) => {
  try {
    localStorage.setItem(KEY, String(percent));
  } catch {
    // As above.
  }
};

export const enhanceDivider = (panel) => {
  const line = panel.querySelector("[role=separator]");
  let now;

  const place = (percent) => {
    now = Math.min(MOST, Math.max(LEAST, Math.round(percent)));
    document.body.style.setProperty("--beside", `${now}vw`);
    line.setAttribute("aria-valuenow", String(now));
  };

  const moveTo = (percent) => {
    place(percent);
    keep(now);
  };

  const keys = {
    ArrowLeft: () => now + STEP,
    ArrowRight: () => now - STEP,
    Home: () => MOST,
    End: () => LEAST,
    Enter: () => FIRST,
  };

  line.setAttribute("aria-valuemin", String(LEAST));
  line.setAttribute("aria-valuemax", String(MOST));
  place(kept());
  line.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    moveTo(keys[event.key]());
  });
  line.addEventListener("dblclick", () => moveTo(FIRST));
  // Captured, the pointer is followed over the frame too.
  line.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    line.setPointerCapture(event.pointerId);
  });
  line.addEventListener("pointermove", (event) => {
    if (line.hasPointerCapture(event.pointerId)) place((1 - event.clientX / innerWidth) * 100);
  });
  line.addEventListener("pointerup", () => keep(now));
  for (const button of panel.querySelectorAll("[data-widen]")) {
    button.addEventListener("click", () => moveTo(now + Number(button.dataset.widen)));
  }
};
