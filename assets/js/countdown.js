// Updates "2 days 3 hours", and reloads what opens at that time.
const form = document.querySelector("form[data-until]");

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
const MAX_DELAY = 60000;
// Avoids reloading too early.
const MARGIN = 300;
const TYPING_PAUSE = 1500;
const language = document.documentElement.lang || "en";

const formatted = (count, unit) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);

// The two largest units: days and hours, hours and minutes; below an hour only one.
const duration = (secs) => {
  const at = UNITS.findIndex(([, size]) => secs >= size);
  const parts = UNITS.slice(at, at + (at < 2 ? 2 : 1)).map(([unit, size], nth) => {
    const rest = nth === 0 ? secs : secs % UNITS[at][1];
    return [Math.floor(rest / size), unit];
  });
  return parts.filter(([count]) => count > 0).map(([count, unit]) => formatted(count, unit)).join(" ");
};

// Based on the server's clock at the time of its response, plus the time since then.
const [loaded] = performance.getEntriesByType("navigation");
const respondedAt = performance.timeOrigin + (loaded?.responseStart ?? 0);
export const remaining = ({ until, now }) => Number(until) - Number(now) - (Date.now() - respondedAt) + MARGIN;

// Reloading while offline would replace the page by the browser's error page.
const whenOnline = (callback) => {
  if (navigator.onLine) callback();
  else addEventListener("online", callback, { once: true });
};

const update = (element) => {
  const secs = Math.ceil(remaining(element.dataset) / 1000);
  if (secs <= 0) {
    element.textContent = "";
    if ("reloads" in element.dataset) whenOnline(() => location.reload());
    return;
  }
  const words = duration(secs);
  if (element.textContent !== words) element.textContent = words;
  setTimeout(update, secs > 7200 ? MAX_DELAY : 1000, element);
};

// A form that can be filled in before it opens keeps what was typed.
let isTyped = false;
let typedAt = -TYPING_PAUSE;
const open = () => {
  // Not while somebody is typing.
  const wait = Math.max(remaining(form.dataset), TYPING_PAUSE - (performance.now() - typedAt));
  if (wait > 0) setTimeout(open, Math.min(wait, MAX_DELAY));
  else if (!navigator.onLine) whenOnline(open);
  else if (isTyped) form.requestSubmit(document.getElementById("check-open"));
  else location.reload();
};

for (const element of document.querySelectorAll(".countdown[data-until]")) {
  // The form itself reloads for its own opening.
  if (!form || remaining(element.dataset) > 0) update(element);
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
