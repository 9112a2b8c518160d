// Shows the used characters of a limited text, from 80 % on. Nothing is cut; the server decides.

const NEARLY = 0.8;
// Screen readers hear the count when typing pauses.
const REST = 1000;

// Characters as the server counts them.
const length = (text) => [...text.normalize("NFC")].length;

const count = (control) => {
  const limit = Number(control.dataset.limit);
  const counter = control.parentElement.querySelector(".counter");
  const used = length(control.value);
  const over = used - limit;
  const words = over > 0 ? counter.dataset.over : counter.dataset.used;
  const text = used < limit * NEARLY ? "" : words.replace("{used}", used).replace("{over}", over);
  counter.classList.toggle("over", over > 0);
  if (counter.textContent !== text) counter.textContent = text;
  return text;
};

const all = () => document.querySelectorAll("[data-limit]");

const said = document.createElement("p");
said.className = "visually-hidden";
said.setAttribute("role", "status");
document.getElementById("form")?.append(said);

let waiting;
document.addEventListener("input", ({ target }) => {
  if (!target.dataset?.limit) return;
  const text = count(target);
  clearTimeout(waiting);
  waiting = setTimeout(() => { said.textContent = text; }, REST);
});

all().forEach(count);
