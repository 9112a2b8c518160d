// Remembers a submission in the history: going back shows that it was sent, with a link to the receipt.
import { form } from "./ask.js";

const PREFIX = "formsvc.sent.";

const words = document.getElementById("when-sent");
const once = form?.elements._once;

// Other history entries of the same page find the submission by its name.
const receiptOf = (name) => {
  try {
    return sessionStorage.getItem(PREFIX + name);
  } catch {
    return null; // The browser stores nothing.
  }
};

const showSent = (receipt) => {
  if (document.getElementById("was-sent")) return;
  const box = document.createElement("div");
  box.id = "was-sent";
  box.className = "message good stack";
  box.tabIndex = -1;
  box.append(words.content.cloneNode(true));
  // Shows the receipt even where it would redirect.
  box.querySelector("a").href = `${receipt}&stay=1`;
  box.querySelector("button")?.addEventListener("click", () => {
    history.replaceState(null, "");
    location.replace(location.pathname + location.search);
  });
  for (const other of form.parentElement.children) {
    if (!other.matches(".form-head")) other.hidden = true;
  }
  form.before(box);
  // Screen readers hear it in place of the form.
  box.focus({ preventScroll: true });
};

const showIfSent = () => {
  const receipt = history.state?.sent ?? receiptOf(once.value);
  if (receipt) showSent(receipt);
};

// Leaves the form for good.
export const leaveFor = (receipt) => {
  form.dispatchEvent(new Event("sent"));
  if (words) {
    history.replaceState({ ...history.state, sent: receipt }, "");
    try {
      sessionStorage.setItem(PREFIX + once.value, receipt);
    } catch {
      // Storage is full: this history entry still knows it.
    }
  }
  location.assign(receipt);
};

if (form && words) {
  // After a reload the page continues the same submission, which the server stores only once.
  const begun = history.state?.once;
  if (begun && form.dataset.fresh !== undefined) once.value = begun;
  history.replaceState({ ...history.state, once: once.value }, "");
  showIfSent();
  addEventListener("pageshow", showIfSent);
  addEventListener("popstate", showIfSent);
}
