// Sends the form: looks for faults, waits for files, says that it is on its way. The server's answer names
// the receipt; whatever else it has to say it says with a page, to the same post made for real.
import { ask, canShow, form, hasFiles, Offline } from "./ask.js";
import { clearSummary, showFaults, showNotice } from "./faults.js";
import { leaveFor } from "./sent.js";
import { patience } from "./sign.js";

const forward = document.getElementById("forward");
const status = document.getElementById("sending");

const pause = (time) => new Promise((done) => { setTimeout(done, time); });

export const busy = (is) => {
  if (is) forward?.setAttribute("aria-busy", "true");
  else forward?.removeAttribute("aria-busy");
};

let before;
const saySending = () => {
  busy(true);
  before ??= { text: forward.textContent, lang: forward.lang };
  forward.setAttribute("aria-disabled", "true");
  // The button keeps its place.
  forward.style.inlineSize = `${forward.getBoundingClientRect().width}px`;
  forward.textContent = status.dataset.word;
  forward.removeAttribute("lang");
  status.textContent = status.dataset.word;
};

// Nothing is sent, or no longer.
export const stay = () => {
  delete form.dataset.sending;
  delete form.dataset.checked;
  busy(false);
  if (!before) return;
  forward.removeAttribute("aria-disabled");
  forward.style.inlineSize = "";
  forward.textContent = before.text;
  if (before.lang) forward.lang = before.lang;
  before = undefined;
  status.textContent = "";
};

// The post as a page without a script makes it.
export const post = () => {
  form.dataset.checked = "1";
  form.requestSubmit(forward);
};

export const sayOffline = () => showNotice(document.getElementById("when-offline"));

const goTo = (page) => {
  if (page) form.dispatchEvent(new CustomEvent("goto", { detail: page }));
};

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
  goTo(files.failed[0]?.closest("section.page"));
  files.failed[0]?.focus();
  return false;
};

// Whether there is nothing wrong; what is, is shown.
const isFine = (found) => {
  if (!canShow(found)) {
    post();
    return false;
  }
  if (found.faults.length === 0) return true;
  stay();
  const first = document.querySelector(`[data-field="${CSS.escape(found.faults[0].field)}"]`);
  goTo(first.closest("section.page"));
  showFaults(found);
  return false;
};

export const send = async () => {
  form.dataset.sending = "1";
  saySending();
  if (!await settled()) return;
  try {
    const wait = patience();
    const withFiles = hasFiles();
    // What is wrong is said before files go on their way, and before anybody waits.
    if (wait > 0 || withFiles) {
      if (!isFine(await ask("check"))) return;
      await pause(wait);
    }
    const found = await ask("submit", withFiles);
    if (found.receipt) leaveFor(found.receipt);
    else if (!found.faults || isFine(found)) post();
  } catch (fault) {
    // The page stays, for the browser's own words would take its place.
    if (fault instanceof Offline) {
      stay();
      sayOffline();
    } else {
      post();
    }
  }
};
