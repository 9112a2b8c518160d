// Shows the used characters of a limited text, from 80 % on. Nothing is cut; the server decides.

const SHOWN_FROM = 0.8;
// Screen readers hear the count when typing pauses.
const ANNOUNCE_DELAY = 1000;

// Characters as the server counts them.
const length = (text) => [...text.normalize("NFC")].length;

const count = (control) => {
  const limit = Number(control.dataset.limit);
  const counter = control.parentElement.querySelector(".counter");
  const used = length(control.value);
  const over = used - limit;
  const words = over > 0 ? counter.dataset.over : counter.dataset.used;
  const text = used < limit * SHOWN_FROM ? "" : words.replace("{used}", used).replace("{over}", over);
  counter.classList.toggle("over", over > 0);
  if (counter.textContent !== text) counter.textContent = text;
  return text;
};

const all = () => document.querySelectorAll("[data-limit]");

const status = document.createElement("p");
status.className = "visually-hidden";
status.setAttribute("role", "status");
document.getElementById("form")?.append(status);

let waiting;
document.addEventListener("input", ({ target }) => {
  if (!target.dataset?.limit) return;
  const text = count(target);
  clearTimeout(waiting);
  waiting = setTimeout(() => { status.textContent = text; }, ANNOUNCE_DELAY);
});

all().forEach(count);
