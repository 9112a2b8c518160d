// Rules save themselves: a change sends the rule's form, and the answer's rules take the place of the shown ones. What is
// typed meanwhile stays, and is sent again. Without this script a button saves.
import { isComposing } from "./focus.js";

const WAIT = 600;
const ID = "sentences";

const state = { timer: undefined, isSending: false, again: undefined };

const box = () => document.getElementById(ID);

// A page as a document: no text is made into markup here.
const drawn = (address, body) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open("POST", address);
  request.responseType = "document";
  request.addEventListener("load", () => resolve(request));
  request.addEventListener("error", reject);
  request.send(body);
});

// The control in which somebody types goes on in the new page.
const swap = (page) => {
  const [old, fresh] = [box(), page.getElementById(ID)];
  if (!fresh) return false;
  const active = old.contains(document.activeElement) ? document.activeElement : undefined;
  old.replaceWith(document.adoptNode(fresh));
  for (const id of ["undo", "redo"]) {
    const [button, now] = [document.getElementById(id), page.getElementById(id)];
    if (button && now) button.disabled = now.disabled;
  }
  const next = active?.id && document.getElementById(active.id);
  if (!next) return true;
  if (active.localName === "input" && active.type !== "checkbox" && next.value !== active.value) {
    next.value = active.value;
    state.again = next.form;
  }
  next.focus({ preventScroll: true });
  if (active.type === "text") next.setSelectionRange(active.selectionStart, active.selectionEnd);
  return true;
};

const send = async (form, button) => {
  clearTimeout(state.timer);
  if (state.isSending) {
    state.again = form;
    return;
  }
  state.isSending = true;
  box().ariaBusy = "true";
  const body = new URLSearchParams(new FormData(form, button));
  const address = button?.getAttribute("formaction") ?? form.action;
  const answer = await drawn(address, body).catch(() => undefined);
  state.isSending = false;
  box().removeAttribute("aria-busy");
  // The page's own post asks for the session, and shows what is wrong.
  if (!answer || answer.status === 401 || !answer.responseURL.includes("/rules") || !answer.response || !swap(answer.response)) {
    form.dataset.plain = "";
    form.requestSubmit(button);
    return;
  }
  const { hash } = new URL(answer.responseURL);
  if (button && hash) document.getElementById(hash.slice(1))?.scrollIntoView({ block: "nearest" });
  const { again } = state;
  state.again = undefined;
  if (again?.isConnected) send(again);
};

// Its stylesheet hides the buttons that save.
if (box()) document.body.classList.add("has-script");

addEventListener("input", ({ target, isComposing: isUnfinished }) => {
  if (!target.closest?.(`#${ID} .sentence-form`) || isUnfinished || target.localName === "select") return;
  clearTimeout(state.timer);
  state.timer = setTimeout(() => send(target.form), WAIT);
});

addEventListener("change", ({ target }) => {
  if (target.closest?.(`#${ID} .sentence-form`)) send(target.form);
});

addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.closest(`#${ID}`) || "plain" in form.dataset) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  send(form, event.submitter ?? undefined);
}, { capture: true });

addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s" || isComposing(event)) return;
  event.preventDefault();
  const form = document.activeElement?.closest?.(".sentence-form");
  if (form) send(form);
});
