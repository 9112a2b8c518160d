// Sends the form: checks it, waits for uploads, and shows that it is being sent. The server's answer names the receipt;
// for anything else the form is posted normally, so that the server answers with a page.
import { ask, canShow, form, hasFiles, Offline } from "./ask.js";
import { clearSummary, showFaults, showNotice } from "./faults.js";
import { boxOf } from "./field.js";
import { leaveFor } from "./sent.js";
import { waitTime } from "./sign.js";

const forward = document.getElementById("forward");
const status = document.getElementById("sending");

const pause = (time) => new Promise((done) => { setTimeout(done, time); });

// A wait that people wonder about is explained below the button.
const SLOW = 4000;
let slow;
const saySlow = () => {
  status.classList.remove("visually-hidden");
  status.textContent = status.dataset.slow;
};
const notSlow = () => {
  clearTimeout(slow);
  if (!status || status.classList.contains("visually-hidden")) return;
  status.classList.add("visually-hidden");
  status.textContent = "";
};

export const busy = (is) => {
  notSlow();
  if (is) {
    slow = setTimeout(saySlow, SLOW);
    forward?.setAttribute("aria-busy", "true");
  } else {
    forward?.removeAttribute("aria-busy");
  }
};

let idleLabel;
const saySending = () => {
  busy(true);
  idleLabel ??= { text: forward.textContent, lang: forward.lang };
  forward.setAttribute("aria-disabled", "true");
  // The button keeps its width.
  forward.style.inlineSize = `${forward.getBoundingClientRect().width}px`;
  forward.textContent = status.dataset.word;
  forward.removeAttribute("lang");
  status.textContent = status.dataset.word;
};

// Nothing is being sent, or no longer.
export const stopSending = () => {
  delete form.dataset.sending;
  delete form.dataset.checked;
  busy(false);
  if (!idleLabel) return;
  forward.removeAttribute("aria-disabled");
  forward.style.inlineSize = "";
  forward.textContent = idleLabel.text;
  if (idleLabel.lang) forward.lang = idleLabel.lang;
  idleLabel = undefined;
  status.textContent = "";
};

// Posts the form as a page without scripts does.
export const post = () => {
  form.dataset.checked = "1";
  form.requestSubmit(forward);
};

export const sayOffline = () => showNotice(document.getElementById("when-offline"));

const goTo = (page) => {
  if (page) form.dispatchEvent(new CustomEvent("goto", { detail: page }));
};

// Waits for running uploads; shows those that failed.
const uploadsDone = async () => {
  const files = { going: 0, done: [], failed: [] };
  form.dispatchEvent(new CustomEvent("settle", { detail: files }));
  if (files.going > 0) {
    showNotice(document.getElementById("when-uploading"));
    notSlow();
  }
  await Promise.all(files.done);
  if (document.querySelector('#before-fields [data-of="when-uploading"]')) clearSummary();
  if (files.failed.length === 0) return true;
  stopSending();
  showNotice(document.getElementById("when-unsent"));
  goTo(files.failed[0]?.closest("section.page"));
  files.failed[0]?.focus();
  return false;
};

// Whether there are no faults; otherwise shows them.
const passes = (found) => {
  if (!canShow(found)) {
    post();
    return false;
  }
  if (found.faults.length === 0) return true;
  stopSending();
  const first = boxOf(found.faults[0].field);
  goTo(first.closest("section.page"));
  showFaults(found);
  return false;
};

// `action`: to submit, or to join the waiting list where there is no room.
export const send = async (action) => {
  form.dataset.sending = "1";
  saySending();
  if (!await uploadsDone()) return;
  busy(true);
  try {
    const wait = waitTime();
    const withFiles = hasFiles();
    // Faults are shown before files are posted, and before any wait.
    if (wait > 0 || withFiles) {
      if (!passes(await ask("check"))) return;
      await pause(wait);
    }
    const found = await ask(action, withFiles);
    if (found.receipt) leaveFor(found.receipt);
    else if (!found.faults || passes(found)) post();
  } catch (fault) {
    // The page stays: a post would show the browser's error page.
    if (fault instanceof Offline) {
      stopSending();
      sayOffline();
    } else {
      post();
    }
  }
};
