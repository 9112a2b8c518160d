// Keeps what is typed in this browser until it is sent, and brings it back. Never files, never
// passwords, and nothing of forms behind a password or inside another site's page.

const PREFIX = "formsvc.form.";
const DAYS = 30;
const MAX_LENGTH = 500000;
const PAUSE = 400;

const form = document.getElementById("form");
const [token, version] = (form?.dataset.keep ?? "").split(".");
// Another link to the same form may fill in other things: each keeps its own.
const key = PREFIX + token + location.search;

const store = (() => {
  try {
    const it = window.localStorage;
    it.setItem(PREFIX, "");
    it.removeItem(PREFIX);
    return it;
  } catch {
    return undefined; // The browser keeps nothing: then nothing is kept.
  }
})();

const isOwn = (name) => /^field_[0-9]+/.test(name);
const named = () => [...form.elements].filter((element) =>
  // What goes with a file goes with it.
  isOwn(element.name) && element.dataset.name === undefined && !["file", "password", "submit", "button"].includes(element.type));
const isTicked = (element) => element.type === "radio" || element.type === "checkbox";

const pairs = () => named().flatMap((element) => {
  if (isTicked(element) && !element.checked) return [];
  if (element.type === "select-multiple") return [...element.selectedOptions].map((option) => [element.name, option.value]);
  return [[element.name, element.value]];
});

const byName = (list) => {
  const found = new Map();
  for (const [name, value] of list) found.set(name, [...(found.get(name) ?? []), value]);
  return found;
};

// Puts kept values into the controls that there are, and gives back those without a control.
const fill = (kept) => {
  const left = byName(kept);
  const seen = new Set();
  for (const element of named()) {
    const values = left.get(element.name);
    // What is kept may be another choice than those that stand here.
    if (!isTicked(element) || values?.includes(element.value)) seen.add(element.name);
    if (isTicked(element)) {
      element.checked = values?.includes(element.value) ?? false;
    } else if (element.type === "select-multiple") {
      for (const option of element.options) option.selected = values?.includes(option.value) ?? false;
    } else {
      const value = values?.shift() ?? "";
      element.value = value;
      // Options that a script brings later are not there yet: it finds here what was chosen.
      if (element.value !== value) element.dataset.kept = value;
    }
  }
  return kept.filter(([name]) => !seen.has(name));
};

const read = () => {
  try {
    const kept = JSON.parse(store.getItem(key));
    const isOld = Date.now() - kept.at > DAYS * 86400000;
    if (kept.version === version && !isOld && Array.isArray(kept.pairs)) return kept;
  } catch {
    // Nothing, or nothing that can be read.
  }
  store.removeItem(key);
  return undefined;
};

let isOver = false;
let waiting;
// What stands in the page untouched, when all scripts have run: that is not worth keeping.
let untouched;
const write = () => {
  clearTimeout(waiting);
  waiting = undefined;
  if (isOver) return;
  const page = Number(form.elements._page.value);
  const own = pairs();
  if (JSON.stringify(own) === untouched && store.getItem(key) === null) return;
  const text = JSON.stringify({ version, at: Date.now(), page, pairs: own });
  try {
    if (text.length <= MAX_LENGTH) store.setItem(key, text);
  } catch {
    // No room: what was kept before stays.
  }
};
const writeSoon = () => { waiting ??= setTimeout(write, PAUSE); };

const sayRestored = () => {
  const toast = document.getElementById("toast");
  const words = document.getElementById("when-restored");
  if (!toast || !words) return;
  toast.append(words.content.cloneNode(true));
  toast.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.value === "close") toast.replaceChildren();
    if (button?.value === "over" && window.confirm(button.dataset.ask)) {
      isOver = true;
      store.removeItem(key);
      history.replaceState(null, "");
      location.replace(location.pathname + location.search);
    }
  });
};

const restore = (kept) => {
  const left = fill(kept.pairs);
  if (kept.page < Number(form.dataset.pages)) form.dataset.page = kept.page;
  const codeOf = (name) => name.split(/[.[]/)[0];
  const codes = new Set(left.map(([name]) => codeOf(name)));
  // In some, what a control is for depends on what was typed before.
  for (const box of form.querySelectorAll("[data-field]:has([data-grows])")) codes.add(box.dataset.field);
  if (codes.size > 0) {
    // Controls that grow by a script are there when all scripts have run.
    addEventListener("DOMContentLoaded", () => {
      for (const code of codes) {
        const field = document.querySelector(`[data-field="${CSS.escape(code)}"]`);
        const own = kept.pairs.filter(([name]) => codeOf(name) === code);
        if (own.length > 0) field?.dispatchEvent(new CustomEvent("grow", { detail: own }));
      }
      fill(kept.pairs);
      form.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }
  // Whoever looks at what is typed looks again.
  addEventListener("DOMContentLoaded", () => form.dispatchEvent(new Event("input")));
  sayRestored();
};

if (store && form?.dataset.keep) {
  document.getElementById("kept")?.classList.add("here");
  if (form.dataset.fresh === undefined) {
    write();
  } else {
    const kept = read();
    if (kept) restore(kept);
    else addEventListener("DOMContentLoaded", () => { untouched = JSON.stringify(pairs()); });
  }
  form.addEventListener("input", writeSoon);
  form.addEventListener("change", writeSoon);
  form.addEventListener("turned", () => { if (store.getItem(key)) writeSoon(); });
  addEventListener("pagehide", () => { if (waiting) write(); });
}

// After a submission nothing is kept of the form.
const sent = document.querySelector("[data-sent]")?.dataset.sent;
if (store && sent) {
  for (const name of Object.keys(store)) {
    const rest = name.startsWith(PREFIX + sent) ? name.slice(PREFIX.length + sent.length) : "-";
    if (rest === "" || rest.startsWith("?")) store.removeItem(name);
  }
}
