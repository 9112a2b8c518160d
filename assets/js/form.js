// The form page, better with a script: pages turn in place, faults go when they are corrected. The
// server decides what is right; every text comes from it.
import "./countdown.js";
import { clearSummary, setFault, showFaults, showNotice } from "./faults.js";

// The server asks again what comes within two seconds: who is that quick waits here instead.
const PATIENCE = 2200;

const form = document.getElementById("form");
const pages = form ? [...form.querySelectorAll("section.page")] : [];
const forward = document.getElementById("forward");
const backward = document.getElementById("backward");
const progress = form?.querySelector(".progress");
let current = Number(form?.dataset.page ?? 0);

const textsOf = (element) => (element?.dataset.texts ?? "").split("\n");
const textsForward = textsOf(forward);
const textsBackward = textsOf(backward);
const textsProgress = textsOf(progress);

const show = (page) => {
  current = page;
  pages.forEach((section, at) => { section.hidden = at !== page; });
  form.elements._page.value = page;
  if (forward) {
    forward.value = page < pages.length - 1 ? "next" : "submit";
    forward.textContent = textsForward[page];
  }
  if (backward) {
    backward.hidden = page === 0;
    backward.textContent = textsBackward[page];
  }
  if (progress) {
    progress.querySelector("progress").value = page + 1;
    progress.querySelector("span").textContent = textsProgress[page];
  }
};

const turn = (page) => {
  show(page);
  pages[page].focus({ preventScroll: true });
  const top = progress ?? pages[page];
  top.scrollIntoView({ block: "start" });
};

// Asks the server what is wrong, with the same post that a page without a script would make.
const ask = async (action) => {
  const body = new URLSearchParams(new FormData(form));
  body.set("_action", action);
  const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
};

const goOn = async () => {
  let found = { faults: [] };
  forward.setAttribute("aria-busy", "true");
  try {
    found = await ask("next");
  } catch {
    // Without an answer the page turns all the same: nothing is stored before the end, where all is checked.
  } finally {
    forward.removeAttribute("aria-busy");
  }
  if (found.faults.length > 0) {
    showFaults(found);
    return;
  }
  clearSummary();
  const page = current + 1;
  history.pushState({ page, turned: true }, "");
  turn(page);
};

const goBack = () => {
  // The browser's own way back, where it leads to the page before.
  if (history.state?.turned) {
    history.back();
  } else {
    clearSummary();
    turn(current - 1);
  }
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
  setFault(code, found.faults.find((fault) => fault.field === code)?.text ?? "");
};

if (form && pages.length > 0) {
  show(current);
  history.replaceState({ page: current }, "");
  addEventListener("popstate", (event) => {
    const page = event.state?.page;
    if (Number.isInteger(page) && page !== current && page < pages.length) {
      clearSummary();
      turn(page);
    }
  });

  form.addEventListener("submit", (event) => {
    const action = event.submitter?.value ?? forward?.value;
    if (action === "next") {
      event.preventDefault();
      goOn();
    } else if (action === "back") {
      event.preventDefault();
      goBack();
    } else if (!navigator.onLine) {
      event.preventDefault();
      showNotice(form.dataset.offline);
    } else if (form.dataset.sending) {
      event.preventDefault();
    } else if (performance.now() < PATIENCE) {
      event.preventDefault();
      forward?.setAttribute("aria-busy", "true");
      setTimeout(() => form.requestSubmit(forward), PATIENCE - performance.now());
    } else {
      form.dataset.sending = "1";
      forward?.setAttribute("aria-busy", "true");
    }
  });
  // Coming back with the browser's button shows the page as it was left, still sending.
  addEventListener("pageshow", () => {
    delete form.dataset.sending;
    forward?.removeAttribute("aria-busy");
  });
  form.addEventListener("change", (event) => {
    const field = event.target.closest(".field.wrong");
    if (field) recheck(field.dataset.field);
  });
}
