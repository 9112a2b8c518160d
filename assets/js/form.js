// The form page: turns pages in place, and removes faults when they are corrected. The server decides what is valid,
// and all texts come from it.
import "./countdown.js";
import { ask, canShow, form } from "./ask.js";
import { clearSummary, setFault, showFaults, showNotice } from "./faults.js";
import { boxOf } from "./field.js";
import { busy, post, sayOffline, send, stopSending } from "./send.js";

export { form };
export const pages = form ? [...form.querySelectorAll("section.page")] : [];
export const forward = document.getElementById("forward");
const backward = document.getElementById("backward");
const enter = form?.querySelector("button.enter");
const head = document.querySelector(".form-head");
const progress = form?.querySelector(".progress[data-label]");
const draftNotice = document.getElementById("kept");
const isCard = form?.classList.contains("cards");
let current = Number(form?.dataset.page ?? 0);

const textsOf = (element) => (element?.dataset.texts ?? "").split("\n");
// A button's label may be the owner's or the service's, in different languages.
const langsOf = (element) => element?.dataset.langs?.split("\n");
const textsForward = textsOf(forward);
const textsBackward = textsOf(backward);
const langsForward = langsOf(forward);
const langsBackward = langsOf(backward);

// A page is skipped if rules hide all of its fields.
const hasFields = (page) => [...pages[page].querySelectorAll(".field")].some((field) => !field.hidden);
const neighbour = (page, step) => {
  let at = page + step;
  while (at >= 0 && at < pages.length && !hasFields(at)) at += step;
  return at >= 0 && at < pages.length ? at : undefined;
};

// Counts the pages that are not skipped.
const count = () => {
  const reachable = pages.map((_, at) => at).filter(hasFields);
  const numberOf = (page) => reachable.filter((at) => at < page).length + 1;
  const number = numberOf(current);
  const all = Math.max(reachable.length, number);
  const labelOf = (page) => progress.dataset.label.replace("{page}", numberOf(page)).replace("{pages}", all);
  const bar = progress.querySelector("progress");
  if (bar) {
    bar.max = all;
    bar.value = number;
  }
  const label = progress.querySelector("span");
  if (label.textContent !== labelOf(current)) label.textContent = labelOf(current);
  pages.forEach((section, at) => { section.ariaLabel = labelOf(at); });
};

// Where what was chosen is full, the last button joins the waiting list.
const lastAction = () => (form.dataset.waits === undefined ? "submit" : "wait");

export const show = (page = current) => {
  current = page;
  pages.forEach((section, at) => { section.hidden = at !== page; });
  form.elements._page.value = page;
  const isLast = neighbour(page, 1) === undefined;
  for (const button of [forward, enter]) {
    if (button) button.value = isLast ? lastAction() : "next";
  }
  if (forward && !form.dataset.sending) {
    const word = isLast ? textsForward.length - 1 : page;
    const waits = forward.value === "wait";
    forward.textContent = waits ? forward.dataset.wait : textsForward[word];
    if (waits) forward.removeAttribute("lang");
    else if (langsForward) forward.lang = langsForward[word];
  }
  if (backward) {
    backward.hidden = neighbour(page, -1) === undefined;
    backward.textContent = textsBackward[page];
    if (langsBackward) backward.lang = langsBackward[page];
  }
  if (progress) count();
  // Cards between the first and the last need not repeat it.
  draftNotice?.classList.toggle("away", isCard && !isLast && neighbour(page, -1) !== undefined);
  if (isCard) head?.classList.toggle("later", page > 0);
};

const turn = (page) => {
  show(page);
  const top = progress ?? pages[page];
  // Cards focus their question themselves, and cancel the event.
  const turned = new CustomEvent("turned", { cancelable: true, detail: page });
  if (form.dispatchEvent(turned)) pages[page].focus({ preventScroll: true });
  top.scrollIntoView({ block: isCard ? "nearest" : "start" });
};

const shownFields = () => pages.slice(0, current + 1)
  .flatMap((page) => [...page.querySelectorAll(".field[data-field]")].filter((field) => !field.hidden));

const goTo = (page) => {
  if (page === current) return;
  history.pushState({ page, turned: true, once: history.state?.once }, "");
  turn(page);
};

const goForward = async () => {
  let found = { faults: [] };
  const before = new Set(shownFields());
  busy(true);
  try {
    found = await ask("next");
  } catch {
    // Offline the page turns all the same: everything is checked at the end, before it is stored.
  } finally {
    busy(false);
  }
  if (!canShow(found)) {
    post();
    return;
  }
  if (found.faults.length > 0) {
    showFaults(found);
    return;
  }
  clearSummary();
  // Show fields that the answers made appear before leaving the page.
  const appeared = shownFields().find((field) => !before.has(field));
  if (appeared) {
    appeared.scrollIntoView({ block: "nearest" });
    appeared.querySelector("input, select, textarea")?.focus({ preventScroll: true });
    return;
  }
  const page = neighbour(current, 1);
  if (page !== undefined) goTo(page);
};

const goBack = () => {
  // Use the browser's history if it leads to the previous page.
  if (history.state?.turned) {
    history.back();
  } else {
    clearSummary();
    const page = neighbour(current, -1) ?? current;
    // This entry is of the page before now: later ones lead back to it.
    history.replaceState({ ...history.state, page }, "");
    turn(page);
  }
};

// A field with a fault is checked again when it changes; others only when they are sent, but for whether there is room.
let lastCheck = 0;
const changedCodes = new Set();
export const recheck = async (code) => {
  changedCodes.add(code);
  const check = ++lastCheck;
  let found;
  try {
    found = await ask("check");
  } catch {
    return;
  }
  // A later answer includes this change.
  if (check !== lastCheck) return;
  for (const one of changedCodes) {
    const isTold = found.full?.includes(one) || boxOf(one)?.classList.contains("wrong");
    const fault = found.faults.find((fault) => fault.field === one && isTold);
    setFault(one, fault?.text ?? "", fault);
  }
  changedCodes.clear();
};

// A closed form has no forward button: all its pages are shown.
if (form && forward && pages.length > 0) {
  // Reloading stays on the same page.
  const shownPage = form.dataset.fresh === undefined ? undefined : history.state?.page;
  show(Number.isInteger(shownPage) && shownPage < pages.length ? shownPage : current);
  history.replaceState({ ...history.state, page: current }, "");
  addEventListener("popstate", (event) => {
    const page = event.state?.page;
    if (Number.isInteger(page) && page !== current && page < pages.length) {
      clearSummary();
      turn(page);
    }
  });
  // For formulas, and rules that only the server can evaluate.
  form.addEventListener("asks", () => { ask("check").catch(() => {}); });
  form.addEventListener("goto", (event) => goTo(pages.indexOf(event.detail)));
  // Rules can turn this page into the last one, or back.
  new MutationObserver((changes) => {
    if (changes.some((change) => change.target.classList.contains("field"))) show(current);
  }).observe(form, { subtree: true, attributeFilter: ["hidden"] });

  // Holding Enter must not skip pages.
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.repeat && event.target.localName !== "textarea") event.preventDefault();
  }, { capture: true });
  form.addEventListener("submit", (event) => {
    // The form was sent and is hidden.
    if (form.hidden) {
      event.preventDefault();
      return;
    }
    const button = event.submitter ?? forward;
    const action = button?.name === "_action" ? button.value : "";
    if (form.dataset.checked) {
      delete form.dataset.checked;
      return;
    }
    if (action === "next") {
      event.preventDefault();
      goForward();
    } else if (action === "back") {
      event.preventDefault();
      goBack();
    } else if (action === "submit" || action === "wait") {
      event.preventDefault();
      if (!navigator.onLine) sayOffline();
      else if (!form.dataset.sending) send(action);
    }
  });
  addEventListener("online", () => {
    if (document.querySelector('#before-fields [data-of="when-offline"]')) {
      showNotice(document.getElementById("when-online"));
    }
  });
  document.getElementById("before-fields")?.addEventListener("click", (event) => {
    if (event.target.closest('[data-of="when-online"] button')) form.requestSubmit(forward);
  });
  // A page restored by the browser's history may still show "sending".
  addEventListener("pageshow", (event) => { if (event.persisted) stopSending(); });
  form.addEventListener("change", (event) => {
    const field = event.target.closest(".field.wrong:not([data-takes])");
    if (field) recheck(field.dataset.field);
  });
}
