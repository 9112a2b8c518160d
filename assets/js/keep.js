// Keeps what is typed in this browser until it is sent, and brings it back. Never files, never
// passwords, and nothing of forms behind a password or inside another site's page.

const PREFIX = "formsvc.form.";
const POSTED = "formsvc.posted.";
const DAYS = 30;
const MAX_LENGTH = 500000;
const PAUSE = 400;
// How long questions may wait for other scripts, where answers came back to them.
const MOMENT = 1000;

const form = document.getElementById("form");
const token = form?.dataset.keep;
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

const codeOf = (name) => name.split(/[.[]/)[0];
const boxOf = (code) => form.querySelector(`.field[data-field="${CSS.escape(code)}"]`);

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

// Puts kept values of these fields into the controls that there are, and gives back those without a control.
const fill = (kept, codes) => {
  const left = byName(kept);
  const seen = new Set();
  for (const element of named()) {
    if (!codes.has(codeOf(element.name))) continue;
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
      // A choice that is gone is none.
      if (element.selectedIndex === -1) element.selectedIndex = 0;
    }
  }
  return kept.filter(([name]) => !seen.has(name));
};

const read = () => {
  try {
    const kept = JSON.parse(store.getItem(key));
    const isOld = Date.now() - kept.at > DAYS * 86400000;
    // What belongs to fields that are still there, and of the same type.
    const codes = new Set(Object.keys(kept.types).filter((code) => boxOf(code)?.dataset.type === kept.types[code]));
    if (!isOld && codes.size > 0 && Array.isArray(kept.pairs)) {
      mine = kept.at;
      return { ...kept, codes };
    }
  } catch {
    // Nothing, or nothing that can be read.
  }
  store.removeItem(key);
  return undefined;
};

let isOver = false;
let waiting;
// When what is kept was written, as far as this page knows: another tab may keep a later draft.
let mine;
const isMine = (name, at) => {
  try {
    return JSON.parse(store.getItem(name)).at === at;
  } catch {
    return false;
  }
};
// What stands in the page untouched, when all scripts have run: that is not worth keeping.
let untouched;
const write = () => {
  clearTimeout(waiting);
  waiting = undefined;
  if (isOver) return;
  const own = pairs();
  if (JSON.stringify(own) === untouched && store.getItem(key) === null) return;
  const types = Object.fromEntries(named().map(({ name }) => [codeOf(name), boxOf(codeOf(name))?.dataset.type]));
  // The first question that was shown: pages may be others by then.
  const page = form.querySelector(`section.page[data-page="${form.elements._page.value}"] .field`)?.dataset.field;
  const at = Date.now();
  const text = JSON.stringify({ at, page, types, pairs: own });
  try {
    if (text.length <= MAX_LENGTH) {
      store.setItem(key, text);
      mine = at;
    }
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
  form.addEventListener("turned", () => toast.replaceChildren());
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

// What the page hides until the answers are back is to be seen.
const showAll = () => {
  form.classList.add("filled");
  // What is hidden as it moves has not moved for whoever looks.
  const show = () => form.classList.remove("filling");
  // In a tab behind others nothing is drawn, and nobody looks.
  if (document.hidden) show();
  else requestAnimationFrame(() => requestAnimationFrame(show));
};

// Somebody may have begun already where this came late.
const isSeen = () => performance.getEntriesByType("paint").length > 0 && getComputedStyle(form).opacity !== "0";
const isTouched = (element) => {
  if (isTicked(element)) return element.checked !== element.defaultChecked;
  if (element.options) return [...element.options].some((option) => option.selected && !option.defaultSelected && option.value !== "");
  return element.value !== element.defaultValue;
};

const restore = (kept) => {
  const { codes } = kept;
  if (isSeen()) for (const element of named()) if (isTouched(element)) codes.delete(codeOf(element.name));
  form.classList.add("filling");
  const own = kept.pairs.filter(([name]) => codes.has(codeOf(name)));
  const left = fill(own, codes);
  const page = kept.page && boxOf(kept.page)?.closest("section.page");
  if (page) {
    form.dataset.page = page.dataset.page;
    history.replaceState({ ...history.state, page: Number(page.dataset.page) }, "");
  }
  const growing = new Set(left.map(([name]) => codeOf(name)));
  // In some, what a control is for depends on what was typed before.
  for (const box of form.querySelectorAll("[data-field]:has([data-grows])")) {
    if (codes.has(box.dataset.field)) growing.add(box.dataset.field);
  }
  if (growing.size > 0) {
    // Controls that grow by a script are there when all scripts have run.
    addEventListener("DOMContentLoaded", () => {
      for (const code of growing) {
        const parts = own.filter(([name]) => codeOf(name) === code);
        if (parts.length > 0) boxOf(code)?.dispatchEvent(new CustomEvent("grow", { detail: parts }));
      }
      fill(own, growing);
      form.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }
  // Whoever looks at what is typed looks again.
  addEventListener("DOMContentLoaded", () => form.dispatchEvent(new Event("input")));
  if (own.some(([, value]) => value !== "")) sayRestored();
};

const begin = () => {
  const kept = read();
  if (kept || history.state?.sent) {
    addEventListener("DOMContentLoaded", showAll);
    // Other scripts may be late.
    setTimeout(showAll, MOMENT);
  } else {
    showAll();
  }
  if (kept) restore(kept);
  else addEventListener("DOMContentLoaded", () => { untouched = JSON.stringify(pairs()); });
};

if (store && token) {
  document.getElementById("kept")?.classList.add("here");
  if (form.dataset.fresh === undefined) write();
  else begin();
  form.addEventListener("input", writeSoon);
  form.addEventListener("change", writeSoon);
  form.addEventListener("turned", () => { if (store.getItem(key)) writeSoon(); });
  form.addEventListener("sent", () => {
    isOver = true;
    if (isMine(key, mine)) store.removeItem(key);
  });
  // A post that leaves the page tells the receipt what it sends.
  form.addEventListener("submit", () => {
    if (waiting) write();
    try {
      sessionStorage.setItem(POSTED + token, mine);
    } catch {
      // The browser keeps nothing for this tab: the draft stays.
    }
  });
  addEventListener("pagehide", () => { if (waiting) write(); });
} else if (token) {
  showAll();
}

// After a submission nothing is kept of the form.
const sent = document.querySelector("[data-sent]")?.dataset.sent;
if (store && sent) {
  const posted = Number(sessionStorage.getItem(POSTED + sent));
  sessionStorage.removeItem(POSTED + sent);
  for (const name of Object.keys(store)) {
    if (name.startsWith(PREFIX + sent) && isMine(name, posted)) store.removeItem(name);
  }
}
