// The palette of kinds: typing filters it, Enter takes the first one.
import { isComposing } from "./focus.js";

const palette = document.getElementById("palette");
const input = palette?.querySelector("input[type=search]");
const kinds = [...palette?.querySelectorAll(".palette-kind") ?? []];
const none = palette?.querySelector("[data-none]");

const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

// The kind whose name is what was typed, else begins with it, else has a word that does.
const bestOf = (shown, typed) => {
  const names = new Map(shown.map((kind) => [kind, fold(kind.textContent.trim())]));
  const fits = [
    (kind) => names.get(kind) === typed || kind.value === typed,
    (kind) => names.get(kind).startsWith(typed),
    (kind) => ` ${names.get(kind)} ${fold(kind.dataset.search)}`.includes(` ${typed}`),
    () => true,
  ];
  return fits.map((fit) => shown.find(fit)).find(Boolean);
};

const filter = () => {
  // The key that opens it is typed once more by whoever knows it from elsewhere.
  const words = fold(input.value).replace(/^\//u, "").split(/\s+/).filter(Boolean);
  const texts = (kind) => fold(`${kind.textContent} ${kind.dataset.search} ${kind.value}`);
  for (const kind of kinds) kind.hidden = !words.every((word) => texts(kind).includes(word));
  const shown = kinds.filter((kind) => !kind.hidden);
  const best = bestOf(shown, words.join(" "));
  for (const kind of kinds) kind.toggleAttribute("data-first", words.length > 0 && kind === best);
  for (const group of palette.querySelectorAll(".palette-group")) {
    group.hidden = ![...group.querySelectorAll(".palette-kind")].some((kind) => !kind.hidden);
  }
  none.textContent = shown.length ? "" : palette.dataset.none;
};

if (palette) {
  input.addEventListener("input", filter);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || isComposing(event)) return;
    event.preventDefault();
    const first = palette.querySelector("[data-first]") ?? kinds.find((kind) => !kind.hidden);
    if (first) palette.requestSubmit(first);
  });
  // After the browser has looked for what takes the focus by itself.
  requestAnimationFrame(() => input.focus());
}
