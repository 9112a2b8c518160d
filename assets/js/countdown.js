// Updates "2 days 3 hours", and reloads what opens at that time.
const form = document.querySelector("form[data-until]");

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
const MOST_PAUSE = 60000;
// Avoids reloading too early.
const MARGIN = 300;
const TYPING = 1500;
const language = document.documentElement.lang || "en";

const worded = (count, unit) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);

// The two largest units: days and hours, hours and minutes; below an hour only one.
const duration = (secs) => {
  const at = UNITS.findIndex(([, size]) => secs >= size);
  const parts = UNITS.slice(at, at + (at < 2 ? 2 : 1)).map(([unit, size], nth) => {
    const rest = nth === 0 ? secs : secs % UNITS[at][1];
    return [Math.floor(rest / size), unit];
  });
  return parts.filter(([count]) => count > 0).map(([count, unit]) => worded(count, unit)).join(" ");
};

// Based on the server's clock at the time of its response, plus the time since then.
const [loaded] = performance.getEntriesByType("navigation");
const begun = performance.timeOrigin + (loaded?.responseStart ?? 0);
const left = ({ until, now }) => Number(until) - Number(now) - (Date.now() - begun) + MARGIN;

// Reloading while offline would replace the page by the browser's error page.
const whenOnline = (then) => {
  if (navigator.onLine) then();
  else addEventListener("online", then, { once: true });
};

const tell = (element) => {
  const secs = Math.ceil(left(element.dataset) / 1000);
  if (secs <= 0) {
    element.textContent = "";
    if ("reloads" in element.dataset) whenOnline(() => location.reload());
    return;
  }
  const words = duration(secs);
  if (element.textContent !== words) element.textContent = words;
  setTimeout(tell, secs > 7200 ? MOST_PAUSE : 1000, element);
};

// A form that can be filled in before it opens keeps what was typed.
let isTyped = false;
let typedAt = -TYPING;
const open = () => {
  // Not while somebody is typing.
  const wait = Math.max(left(form.dataset), TYPING - (performance.now() - typedAt));
  if (wait > 0) setTimeout(open, Math.min(wait, MOST_PAUSE));
  else if (!navigator.onLine) whenOnline(open);
  else if (isTyped) form.requestSubmit(document.getElementById("check-open"));
  else location.reload();
};

for (const element of document.querySelectorAll(".countdown[data-until]")) {
  // The form itself reloads for its own opening.
  if (!form || left(element.dataset) > 0) tell(element);
}
if (form) {
  // If no draft may be stored, only a post preserves the answers, and likewise a password.
  isTyped = form.dataset.fresh === undefined || form.elements._grant !== undefined;
  // Restoring a draft fires an event too.
  for (const kind of ["input", "change"]) {
    form.addEventListener(kind, (event) => {
      isTyped = true;
      if (event.isTrusted) typedAt = performance.now();
    });
  }
  open();
}
