// Stores answers in the browser as a draft until they are sent, and restores them. Of files it stores the name, and the
// id by which the server has them for a day; of drawn signatures and recordings only that there were some. Never
// passwords, and nothing of password-protected or embedded forms.
import { boxOf, isCheckable } from "./field.js";

const PREFIX = "formsvc.form.";
const POSTED = "formsvc.posted.";
const MAX_DAYS = 30;
const MAX_LENGTH = 500000;
const WRITE_DELAY = 400;
// The server keeps a file for a day, and filling in takes its time.
const FILE_HOURS = 23;

const form = document.getElementById("form");
const token = form?.dataset.keep;
// Links with different prefilled values have separate drafts; that an exam was begun fills in nothing.
const key = PREFIX + token + location.search.replace(/([?&])start=1(&|$)/, (_, before, after) => after && before);

const store = (() => {
  try {
    const storage = window.localStorage;
    storage.setItem(PREFIX, "");
    storage.removeItem(PREFIX);
    return storage;
  } catch {
    return undefined; // The browser stores nothing.
  }
})();

const isAnswer = (name) => /^field_[0-9]+/.test(name);
const answerControls = () => [...form.elements].filter((element) =>
  // Controls with `data-name` belong to a file, which is not stored.
  isAnswer(element.name) && element.dataset.name === undefined && !["file", "password", "submit", "button"].includes(element.type));

const codeOf = (name) => name.split(/[.[]/)[0];

const pairs = () => answerControls().flatMap((element) => {
  if (isCheckable(element) && !element.checked) return [];
  if (element.type === "select-multiple") return [...element.selectedOptions].map((option) => [element.name, option.value]);
  return [[element.name, element.value]];
});

const fileInputs = () => [...form.elements].filter((element) => element.type === "file" && isAnswer(element.name));

// What is asked for again, by what stands in the question's box.
const AGAIN = { choose: "[data-files]", sign: "[data-signature]", record: "[data-recorder]" };

// The files of all questions: those that the server has, with their ids, and one without if it has not got all. Drawn
// signatures and recordings go with the form alone and don't return; a typed signature is a text.
const drafts = () => fileInputs().flatMap((input) => {
  const box = input.closest(Object.values(AGAIN).join());
  const there = [...box.querySelectorAll("[data-files] [data-size]")].filter((element) => element.type === "hidden" || element.checked);
  const isText = box.querySelector(".signature-typed:not([hidden]) input")?.value.trim();
  const isUnsent = input.files.length > 0 || box.querySelector(".file-list > :not(.there), :not([data-files]) > .kept-files :checked");
  return [
    ...there.map(({ value, dataset: { name, size, at = Date.now() } }) => ({ input: input.name, id: value, name, size: +size, at: +at })),
    ...isUnsent && !isText ? [{ input: input.name }] : [],
  ];
});

const byName = (list) => {
  const found = new Map();
  for (const [name, value] of list) found.set(name, [...(found.get(name) ?? []), value]);
  return found;
};

// Writes draft values of these fields into their controls; returns the values without a control.
const fill = (kept, codes) => {
  const left = byName(kept);
  const seen = new Set();
  for (const element of answerControls()) {
    if (!codes.has(codeOf(element.name))) continue;
    const values = left.get(element.name);
    // The stored choice may differ from those offered now.
    if (!isCheckable(element) || values?.includes(element.value)) seen.add(element.name);
    if (isCheckable(element)) {
      // What is full by now can't be chosen.
      element.checked = !element.disabled && (values?.includes(element.value) ?? false);
    } else if (element.type === "select-multiple") {
      for (const option of element.options) option.selected = values?.includes(option.value) ?? false;
    } else {
      const value = values?.shift() ?? "";
      element.value = value;
      // For scripts that add the option later.
      if (element.value !== value) element.dataset.kept = value;
      // A choice that no longer exists, or is full by now.
      if (element.selectedIndex === -1 || element.selectedOptions?.[0]?.disabled) element.selectedIndex = 0;
    }
  }
  return kept.filter(([name]) => !seen.has(name));
};

const read = () => {
  try {
    const kept = JSON.parse(store.getItem(key));
    const isOld = Date.now() - kept.at > MAX_DAYS * 86400000;
    // Fields that still exist with the same type.
    const codes = new Set(Object.keys(kept.types).filter((code) => boxOf(code)?.dataset.type === kept.types[code]));
    if (!isOld && codes.size > 0 && Array.isArray(kept.pairs)) {
      draftTime = kept.at;
      return { ...kept, codes };
    }
  } catch {
    // There is no draft, or it is unreadable.
  }
  store.removeItem(key);
  return undefined;
};

let isDone = false;
let waiting;
// When this page's draft was written: another tab may write a later one.
let draftTime;
const isDraftOf = (name, at) => {
  try {
    return JSON.parse(store.getItem(name)).at === at;
  } catch {
    return false;
  }
};
// The initial values once all scripts have run, which are not worth storing.
let untouched;
const write = () => {
  clearTimeout(waiting);
  waiting = undefined;
  if (isDone) return;
  const own = pairs();
  const files = drafts();
  if (JSON.stringify([own, files]) === untouched && store.getItem(key) === null) return;
  const named = [...answerControls(), ...fileInputs()];
  const types = Object.fromEntries(named.map(({ name }) => [codeOf(name), boxOf(codeOf(name))?.dataset.type]));
  // The first question of the current page, because pages may change.
  const page = form.querySelector(`section.page[data-page="${form.elements._page.value}"] .field`)?.dataset.field;
  const at = Date.now();
  const text = JSON.stringify({ at, page, types, pairs: own, files });
  try {
    if (text.length <= MAX_LENGTH) {
      store.setItem(key, text);
      draftTime = at;
    }
  } catch {
    // Storage is full: the previous draft stays.
  }
};
const writeSoon = () => { waiting ??= setTimeout(write, WRITE_DELAY); };

// `lost`: the questions whose files did not come back.
const sayRestored = (isAny, lost) => {
  const toast = document.getElementById("toast");
  const words = document.getElementById("when-restored");
  if (!toast || !words) return;
  const restored = words.content.cloneNode(true);
  const [said, over] = restored.children;
  for (const [word, part] of Object.entries(AGAIN)) {
    const boxes = [...lost].map(boxOf).filter((box) => box.querySelector(part));
    if (boxes.length === 0) continue;
    const line = document.createElement("p");
    const labels = boxes.map((box) => box.querySelector("legend bdi, label bdi").textContent);
    line.textContent = words.dataset[word].replace("{fields}", () => labels.join(", "));
    over.before(line);
  }
  if (!isAny) said.remove();
  toast.append(restored);
  form.addEventListener("turned", () => toast.replaceChildren());
  toast.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.value === "close") toast.replaceChildren();
    if (button?.value === "over" && window.confirm(button.dataset.ask)) {
      isDone = true;
      store.removeItem(key);
      history.replaceState(null, "");
      location.replace(location.pathname + location.search);
    }
  });
};

// Shows the questions that stay hidden until answers are restored.
const showAll = () => {
  form.classList.add("filled");
  // What moves while it is hidden is not seen to move.
  const show = () => form.classList.remove("filling");
  // Background tabs draw nothing.
  if (document.hidden) show();
  else requestAnimationFrame(() => requestAnimationFrame(show));
};

// If this script was late, the visitor may already have started.
const isVisible = () => performance.getEntriesByType("paint").length > 0 && getComputedStyle(form).opacity !== "0";
const isTouched = (element) => {
  if (isCheckable(element)) return element.checked !== element.defaultChecked;
  if (element.options) return [...element.options].some((option) => option.selected && !option.defaultSelected && option.value !== "");
  return element.value !== element.defaultValue;
};

const restore = (kept) => {
  const { codes } = kept;
  if (isVisible()) for (const element of answerControls()) if (isTouched(element)) codes.delete(codeOf(element.name));
  form.classList.add("filling");
  const own = kept.pairs.filter(([name]) => codes.has(codeOf(name)));
  const left = fill(own, codes);
  const named = (kept.files ?? []).filter(({ input }) => codes.has(codeOf(input)));
  const files = named.filter(({ id, at }) => id && Date.now() - at < FILE_HOURS * 3600000);
  const lost = new Set(named.filter((draft) => !files.includes(draft)).map(({ input }) => codeOf(input)));
  // For the script of the files.
  form.dataset.keptFiles = JSON.stringify(files);
  const page = kept.page && boxOf(kept.page)?.closest("section.page");
  if (page) {
    form.dataset.page = page.dataset.page;
    history.replaceState({ ...history.state, page: Number(page.dataset.page) }, "");
  }
  // Rows may have files alone.
  const rows = [...own, ...files.map(({ input }) => [input, ""])];
  const present = new Set(fileInputs().map(({ name }) => name));
  const growing = new Set([...left, ...files.filter(({ input }) => !present.has(input)).map(({ input }) => [input])].map(([name]) => codeOf(name)));
  // Some controls depend on values typed earlier.
  for (const box of form.querySelectorAll("[data-field]:has([data-grows])")) {
    if (codes.has(box.dataset.field)) growing.add(box.dataset.field);
  }
  if (growing.size > 0) {
    // Controls that grow by script are ready after all scripts.
    addEventListener("DOMContentLoaded", () => {
      for (const code of growing) {
        const parts = rows.filter(([name]) => codeOf(name) === code);
        if (parts.length > 0) boxOf(code)?.dispatchEvent(new CustomEvent("grow", { detail: parts }));
      }
      fill(own, growing);
      form.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }
  // Scripts that read values do so again.
  addEventListener("DOMContentLoaded", () => form.dispatchEvent(new Event("input")));
  const isAny = files.length > 0 || own.some(([, value]) => value !== "");
  if (isAny || lost.size > 0) sayRestored(isAny, lost);
};

const begin = () => {
  const kept = read();
  if (kept || history.state?.sent) {
    addEventListener("DOMContentLoaded", showAll);
  } else {
    showAll();
  }
  if (kept) restore(kept);
  else addEventListener("DOMContentLoaded", () => { untouched = JSON.stringify([pairs(), drafts()]); });
};

if (store && token) {
  document.getElementById("kept")?.classList.add("here");
  if (form.dataset.fresh === undefined) write();
  else begin();
  form.addEventListener("input", writeSoon);
  form.addEventListener("change", writeSoon);
  form.addEventListener("turned", () => { if (store.getItem(key)) writeSoon(); });
  form.addEventListener("sent", () => {
    isDone = true;
    if (isDraftOf(key, draftTime)) store.removeItem(key);
  });
  // Tells the receipt page which draft was sent.
  form.addEventListener("submit", () => {
    if (waiting) write();
    try {
      sessionStorage.setItem(POSTED + token, draftTime);
    } catch {
      // The browser stores nothing for this tab: the draft stays.
    }
  });
  addEventListener("pagehide", () => { if (waiting) write(); });
} else if (token) {
  showAll();
}

// After a submission the form's draft is deleted.
const sent = document.querySelector("[data-sent]")?.dataset.sent;
if (store && sent) {
  const posted = Number(sessionStorage.getItem(POSTED + sent));
  sessionStorage.removeItem(POSTED + sent);
  for (const name of Object.keys(store)) {
    if (name.startsWith(PREFIX + sent) && isDraftOf(name, posted)) store.removeItem(name);
  }
}
