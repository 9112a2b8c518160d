// Prevents double submission: a double click creates one token, not two.

// If loading was stopped, it may be sent again after this time.
const WAIT = 10000;

const sent = new Set();

// After the form's own listeners, which may have cancelled it.
addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented) return;
  if (sent.has(form)) {
    event.preventDefault();
    return;
  }
  sent.add(form);
  setTimeout(() => sent.delete(form), WAIT);
});

// The browser's history shows the page as it was left.
addEventListener("pageshow", () => sent.clear());
