// The form page, better with a script: pages turn in place, faults go when they are corrected. The
// server decides what is right; every text comes from it.
import "./countdown.js";
import { clearSummary, setFault, showFaults, showNotice } from "./faults.js";

// The server asks again what comes within two seconds: who is that quick waits here instead.
const PATIENCE = 2200;

export const form = document.getElementById("form");
export const pages = form ? [...form.querySelectorAll("section.page")] : [];
export const forward = document.getElementById("forward");
const backward = document.getElementById("backward");
const enter = form?.querySelector("button.enter");
const head = document.querySelector(".form-head");
const progress = form?.querySelector(".progress[data-texts]");
const isCard = form?.classList.contains("cards");
let current = Number(form?.dataset.page ?? 0);

const textsOf = (element) => (element?.dataset.texts ?? "").split("\n");
// A button's words are the form's owner's or the page's own, which may be in another language.
const langsOf = (element) => element?.dataset.langs?.split("\n");
const textsForward = textsOf(forward);
const textsBackward = textsOf(backward);
const langsForward = langsOf(forward);
const langsBackward = langsOf(backward);
const textsProgress = textsOf(progress);

// Where rules hide every field of a page, the page is passed over.
const hasFields = (page) => [...pages[page].querySelectorAll(".field")].some((field) => !field.hidden);
const beside = (page, step) => {
  let at = page + step;
  while (at >= 0 && at < pages.length && !hasFields(at)) at += step;
  return at >= 0 && at < pages.length ? at : undefined;
};

const show = (page) => {
  current = page;
  pages.forEach((section, at) => { section.hidden = at !== page; });
  form.elements._page.value = page;
  const isLast = beside(page, 1) === undefined;
  for (const button of [forward, enter]) {
    if (button) button.value = isLast ? "submit" : "next";
  }
  if (forward) {
    const word = isLast ? textsForward.length - 1 : page;
    forward.textContent = textsForward[word];
    if (langsForward) forward.lang = langsForward[word];
  }
  if (backward) {
    backward.hidden = beside(page, -1) === undefined;
    backward.textContent = textsBackward[page];
    if (langsBackward) backward.lang = langsBackward[page];
  }
  if (progress) {
    const bar = progress.querySelector("progress");
    if (bar) bar.value = page + 1;
    const label = progress.querySelector("span");
    if (label.textContent !== textsProgress[page]) label.textContent = textsProgress[page];
  }
  if (isCard) head?.classList.toggle("later", page > 0);
};

const turn = (page) => {
  show(page);
  const top = progress ?? pages[page];
  // A card takes the focus into its question; what listens says so.
  const turned = new CustomEvent("turned", { cancelable: true, detail: page });
  if (form.dispatchEvent(turned)) pages[page].focus({ preventScroll: true });
  top.scrollIntoView({ block: isCard ? "nearest" : "start" });
};

const busy = (is) => {
  if (is) forward?.setAttribute("aria-busy", "true");
  else forward?.removeAttribute("aria-busy");
};

// Asks the server what is wrong, with the same post that a page without a script would make.
const ask = async (action) => {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string") body.append(name, value);
    // A file comes with the form itself.
    else if (value.size > 0) body.append("_file", name);
  }
  body.set("_action", action);
  const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  const found = await answer.json();
  form.dispatchEvent(new CustomEvent("checked", { detail: found }));
  return found;
};

const shownFields = () => pages.slice(0, current + 1)
  .flatMap((page) => [...page.querySelectorAll(".field[data-field]")].filter((field) => !field.hidden));

const goTo = (page) => {
  if (page === current) return;
  history.pushState({ page, turned: true }, "");
  turn(page);
};

const goOn = async () => {
  let found = { faults: [] };
  const before = new Set(shownFields());
  busy(true);
  try {
    found = await ask("next");
  } catch {
    // Without an answer the page turns all the same: nothing is stored before the end, where all is checked.
  } finally {
    busy(false);
  }
  if (found.faults.length > 0) {
    showFaults(found);
    return;
  }
  clearSummary();
  // What the answers made appear here was not seen yet.
  const appeared = shownFields().find((field) => !before.has(field));
  if (appeared) {
    appeared.scrollIntoView({ block: "nearest" });
    appeared.querySelector("input, select, textarea")?.focus({ preventScroll: true });
    return;
  }
  const page = beside(current, 1);
  if (page !== undefined) goTo(page);
};

const goBack = () => {
  // The browser's own way back, where it leads to the page before.
  if (history.state?.turned) {
    history.back();
  } else {
    clearSummary();
    turn(beside(current, -1) ?? current);
  }
};

const sayOffline = () => showNotice(document.getElementById("when-offline"));

// Files that go ahead of the form: it waits for those on their way, and says which did not arrive.
const settled = async () => {
  const files = { going: 0, done: [], failed: [] };
  form.dispatchEvent(new CustomEvent("settle", { detail: files }));
  if (files.going > 0) showNotice(document.getElementById("when-uploading"));
  await Promise.all(files.done);
  if (document.querySelector('#before-fields [data-of="when-uploading"]')) clearSummary();
  if (files.failed.length === 0) return true;
  stay();
  showNotice(document.getElementById("when-unsent"));
  const page = pages.indexOf(files.failed[0]?.closest("section.page"));
  if (page >= 0) goTo(page);
  files.failed[0]?.focus();
  return false;
};

// Looks for faults first, so that the page need not be loaded again for them; then sends.
const send = async () => {
  form.dataset.sending = "1";
  busy(true);
  if (!await settled()) return;
  let found = { faults: [] };
  try {
    found = await ask("check");
  } catch (fault) {
    // No answer at all: the page stays, for the browser's own words would take its place.
    if (fault instanceof TypeError) {
      stay();
      sayOffline();
      return;
    }
  }
  if (found.faults.length > 0) {
    stay();
    const first = document.querySelector(`[data-field="${CSS.escape(found.faults[0].field)}"]`);
    const page = pages.indexOf(first?.closest("section.page"));
    if (page >= 0) goTo(page);
    showFaults(found);
    return;
  }
  setTimeout(() => {
    form.dataset.checked = "1";
    form.requestSubmit(forward);
  }, Math.max(0, PATIENCE - performance.now()));
};

const stay = () => {
  delete form.dataset.sending;
  delete form.dataset.checked;
  busy(false);
};

// A wrong field is looked at again when it has changed; others are left alone until they are sent.
let asked = 0;
const recheck = async (code) => {
  const mine = ++asked;
  let found;
  try {
    found = await ask("check");
  } catch {
    return;
  }
  if (mine !== asked) return;
  const fault = found.faults.find((fault) => fault.field === code);
  setFault(code, fault?.text ?? "", fault?.inside, fault?.lang);
};

// A form that takes nothing has no way on: all its pages are shown.
if (form && forward && pages.length > 0) {
  // Who loads a page again finds it where it was.
  const known = form.dataset.fresh === undefined ? undefined : history.state?.page;
  show(Number.isInteger(known) && known < pages.length ? known : current);
  history.replaceState({ ...history.state, page: current }, "");
  addEventListener("popstate", (event) => {
    const page = event.state?.page;
    if (Number.isInteger(page) && page !== current && page < pages.length) {
      clearSummary();
      turn(page);
    }
  });
  // Rules that only the server can apply, and formulas.
  form.addEventListener("asks", () => { ask("check").catch(() => {}); });
  form.addEventListener("goto", (event) => goTo(pages.indexOf(event.detail)));
  // What rules hide or show may make this page the last one, or no longer.
  new MutationObserver((changes) => {
    if (changes.some((change) => change.target.classList.contains("field"))) show(current);
  }).observe(form, { subtree: true, attributeFilter: ["hidden"] });

  form.addEventListener("submit", (event) => {
    const button = event.submitter ?? forward;
    const action = button?.name === "_action" ? button.value : "";
    if (form.dataset.checked) {
      delete form.dataset.checked;
      return;
    }
    if (action === "next") {
      event.preventDefault();
      goOn();
    } else if (action === "back") {
      event.preventDefault();
      goBack();
    } else if (action === "submit") {
      event.preventDefault();
      if (!navigator.onLine) sayOffline();
      else if (!form.dataset.sending) send();
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
  // Coming back with the browser's button shows the page as it was left, still sending.
  addEventListener("pageshow", stay);
  form.addEventListener("change", (event) => {
    const field = event.target.closest(".field.wrong");
    if (field) recheck(field.dataset.field);
  });
}
