// The page of a public query: says that a search is running or a row is being saved, and moves to the results.
const labels = new Map();

addEventListener("submit", (event) => {
  const { target, submitter } = event;
  const text = target.dataset.busy;
  const button = target.querySelector(".actions .button");
  if (event.defaultPrevented || !text || !button || submitter?.value === "more") return;
  // The width stays, so that nothing moves.
  button.style.minInlineSize = `${button.offsetWidth}px`;
  labels.set(button, [...button.childNodes]);
  button.setAttribute("aria-busy", "true");
  button.textContent = text;
});

// The browser's history shows the page as it was left.
addEventListener("pageshow", () => {
  for (const [button, nodes] of labels) {
    button.removeAttribute("aria-busy");
    button.replaceChildren(...nodes);
  }
  labels.clear();
});

// Not when the browser goes back: it keeps the place by itself.
const heading = document.getElementById("results");
const [visit] = performance.getEntriesByType("navigation");
if (heading && visit?.type === "navigate") heading.focus();
