// A form that is on its way is not sent a second time: a double click makes one token, not two.

// Whoever stopped the page from loading may send it again.
const WAIT = 10000;

const sent = new Set();

// Behind the listeners of the form itself: what one of them stopped is not on its way.
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

// The browser's way back shows the page as it was left.
addEventListener("pageshow", () => sent.clear());
