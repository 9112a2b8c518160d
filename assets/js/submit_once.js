// Prevents double submission: a double click creates one token, not two.

// If loading was stopped, it may be sent again after this time.
const RETRY_AFTER = 10000;

const pending = new Set();

// After the form's own listeners, which may have cancelled it.
addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented) return;
  if (pending.has(form)) {
    event.preventDefault();
    return;
  }
  pending.add(form);
  setTimeout(() => pending.delete(form), RETRY_AFTER);
});

// The browser's history shows the page as it was left.
addEventListener("pageshow", () => pending.clear());
