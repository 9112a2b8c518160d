// The palette of kinds: typing filters it, Enter takes the first one.
import { isComposing } from "./focus.js";

const palette = document.getElementById("palette");
const input = palette?.querySelector("input[type=search]");
const kinds = [...palette?.querySelectorAll(".palette-kind") ?? []];
const none = palette?.querySelector("[data-none]");

const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

const filter = () => {
  const words = fold(input.value).split(/\s+/).filter(Boolean);
  const texts = (kind) => fold(`${kind.textContent} ${kind.dataset.search} ${kind.value}`);
  for (const kind of kinds) kind.hidden = !words.every((word) => texts(kind).includes(word));
  const shown = kinds.filter((kind) => !kind.hidden);
  for (const kind of kinds) kind.toggleAttribute("data-first", words.length > 0 && kind === shown[0]);
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
    const first = kinds.find((kind) => !kind.hidden);
    if (first) palette.requestSubmit(first);
  });
  // After the browser has looked for what takes the focus by itself.
  requestAnimationFrame(() => input.focus());
}
