// What an exam says of the chosen question saves itself: what follows from it comes with the page as it is drawn then, and
// the rest of the page stays. Without this script a button saves.
import { drawn } from "./drawn.js";
import { isComposing } from "./focus.js";

// What the answer has fresh, wherever it stands.
const FRESH = ["#exam", "#points-total", ".outline-points", ".outline-fault"];
const STEPS = ["undo", "redo"];

const section = () => document.getElementById("exam");

const form = () => section()?.querySelector("form[data-points]");

const state = { sending: undefined, isTyped: false };

const rowsOf = (page) => new Map([...page.querySelectorAll(".outline-row")].map((row) => [row.dataset.code, row]));

// The link of a row has its label, and ends with points and faults.
const takeRows = (page) => {
  const fresh = rowsOf(page);
  for (const [code, row] of rowsOf(document)) {
    const other = fresh.get(code);
    if (!other) continue;
    for (const part of row.querySelectorAll(FRESH.slice(2).join())) part.remove();
    for (const part of other.querySelectorAll(FRESH.slice(2).join())) {
      row.querySelector("a").append(document.importNode(part, true));
    }
  }
};

const take = (page) => {
  const focused = document.activeElement?.id;
  for (const selector of FRESH.slice(0, 2)) {
    const [old, fresh] = [document.querySelector(selector), page.querySelector(selector)];
    if (old && fresh) old.replaceWith(document.importNode(fresh, true));
  }
  takeRows(page);
  for (const id of STEPS) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (old && fresh) old.disabled = fresh.disabled;
  }
  if (focused) document.getElementById(focused)?.focus();
};

const say = (word) => {
  const chip = document.querySelector("[data-save-chip]");
  const words = chip?.querySelector(`[data-word="${word}"]`)?.content.textContent;
  if (words) chip.firstChild.textContent = words;
};

const post = (sent) => fetch(sent.action, {
  method: "POST",
  headers: { Accept: "application/json" },
  body: new URLSearchParams(new FormData(sent)),
});

const send = async () => {
  const sent = form();
  say("saving");
  state.isTyped = false;
  const answer = await post(sent).catch(() => undefined);
  const { seen } = answer?.ok ? (await answer.json()).data : {};
  // What follows from it is taken from the page.
  const page = seen ? await drawn() : undefined;
  state.sending = undefined;
  if (!answer) {
    state.isTyped = true;
    say("offline");
  } else if (answer.status === 401) {
    // The page's own post asks for the session and goes on when it is there.
    state.isTyped = true;
    say("offline");
    sent.requestSubmit();
  } else if (!seen) {
    // What can't be taken over is a page of its own.
    sent.submit();
  } else {
    // What was typed meanwhile is about what is stored now.
    sent.elements._seen.value = seen;
    if (page?.getElementById("exam") && !state.isTyped) take(page);
    say("saved");
  }
};

const save = async () => {
  while (state.sending) await state.sending;
  state.sending = send();
  await state.sending;
};

const isBusy = () => state.sending !== undefined || state.isTyped;

const isOwn = (event) => event.target.closest?.("form[data-points]");

// Another page, and what another button does, begin with what was typed.
const goOn = async (event) => {
  const { target, submitter } = event;
  const link = event.type === "click" ? target.closest?.("a[href]") : undefined;
  if (!isBusy() || isOwn(event) || (event.type === "click" && (!link || event.ctrlKey || event.metaKey || event.shiftKey))) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  await save();
  // What stood in the section stands there anew.
  const action = target.getAttribute("action");
  const sent = [...document.querySelectorAll("form")].find((fresh) => fresh.getAttribute("action") === action);
  if (!link) (target.isConnected ? target : sent)?.requestSubmit(target.isConnected ? submitter : undefined);
  else ([...section().querySelectorAll("a")].find((fresh) => fresh.href === link.href) ?? link).click();
};

if (form()) {
  addEventListener("input", (event) => { if (isOwn(event)) state.isTyped = true; });
  addEventListener("change", (event) => { if (isOwn(event)) save(); });
  addEventListener("submit", (event) => {
    if (!isOwn(event)) return;
    event.preventDefault();
    save();
  });
  for (const kind of ["click", "submit"]) addEventListener(kind, goOn, { capture: true });
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s" || isComposing(event) || !isOwn(event)) return;
    event.preventDefault();
    save();
  });
}
