// The page of a public query: says that a search is running or a row is being saved, and moves to the results. Where the
// operator asks for it, it does some work before a search.
import { prove } from "./proof.js";

const labels = new Map();

const showBusy = (form) => {
  const button = form.querySelector(".actions .button");
  if (!button || labels.has(button)) return;
  // The width stays, so that nothing moves.
  button.style.minInlineSize = `${button.offsetWidth}px`;
  labels.set(button, [...button.childNodes]);
  button.setAttribute("aria-busy", "true");
  button.textContent = form.dataset.busy;
};

const proofs = new Map();

// Sends the form again once the work is done. What was filled in must not change meanwhile.
const work = async (form) => {
  proofs.set(form, undefined);
  const input = document.createElement("input");
  input.type = "hidden";
  input.name = "proof";
  input.value = await prove(form);
  // The page may have been left and come back to.
  if (!proofs.has(form)) return;
  proofs.set(form, input);
  form.append(input);
  form.requestSubmit();
};

addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (event.defaultPrevented || !form.dataset.busy || (submitter?.name === "_action" && submitter.value !== "submit")) return;
  showBusy(form);
  if (!form.dataset.bits || proofs.get(form)) return;
  event.preventDefault();
  if (!proofs.has(form)) work(form);
});

// The browser's history shows the page as it was left.
addEventListener("pageshow", () => {
  for (const [button, nodes] of labels) {
    button.removeAttribute("aria-busy");
    button.replaceChildren(...nodes);
  }
  labels.clear();
  for (const input of proofs.values()) input?.remove();
  proofs.clear();
});

// To what the address names, else to the results; not when the browser goes back: it keeps the place by itself. What has
// to be put right first has the focus already.
const target = document.getElementById(location.hash.slice(1)) ?? document.getElementById("results");
const [visit] = performance.getEntriesByType("navigation");
if (visit?.type === "navigate" && !document.querySelector("[autofocus]")) target?.focus();
