// Ticks of a list. The browser's history holds them with the page, so that they are there again on the way back; a page
// that is loaded anew begins anew.

const [load] = performance.getEntriesByType("navigation");

export const restore = (ticks) => {
  const kept = load?.type === "back_forward" ? history.state?.ticked ?? [] : [];
  for (const tick of ticks) if (kept.includes(tick.value)) tick.checked = true;
};

export const keep = (ticks) => {
  const ticked = ticks.filter((tick) => tick.checked).map((tick) => tick.value);
  if (String(ticked) !== String(history.state?.ticked ?? [])) history.replaceState({ ...history.state, ticked }, "");
};
