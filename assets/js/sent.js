// Remembers in the history what was sent: whoever comes back finds that it was, and the way to the receipt.
import { form } from "./ask.js";

const PREFIX = "formsvc.sent.";

const words = document.getElementById("when-sent");
const once = form?.elements._once;

// Other entries of the same page know the sending by its name.
const known = (name) => {
  try {
    return sessionStorage.getItem(PREFIX + name);
  } catch {
    return null; // The browser keeps nothing.
  }
};

const showSent = (receipt) => {
  if (document.getElementById("was-sent")) return;
  const box = document.createElement("div");
  box.id = "was-sent";
  box.className = "message good stack";
  box.tabIndex = -1;
  box.append(words.content.cloneNode(true));
  // The receipt itself, where it would lead on.
  box.querySelector("a").href = `${receipt}&stay=1`;
  box.querySelector("button")?.addEventListener("click", () => {
    history.replaceState(null, "");
    location.replace(location.pathname + location.search);
  });
  for (const other of form.parentElement.children) {
    if (!other.matches(".form-head")) other.hidden = true;
  }
  form.before(box);
  // Whoever can't see it is told in place of what they left.
  box.focus({ preventScroll: true });
};

const look = () => {
  const receipt = history.state?.sent ?? known(once.value);
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
      // No room: this entry knows it.
    }
  }
  location.assign(receipt);
};

if (form && words) {
  // Loaded again, the page goes on with the sending that it began: the server stores it once.
  const begun = history.state?.once;
  if (begun && form.dataset.fresh !== undefined) once.value = begun;
  history.replaceState({ ...history.state, once: once.value }, "");
  look();
  addEventListener("pageshow", look);
  addEventListener("popstate", look);
}
