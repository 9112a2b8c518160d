// The chosen question saves itself: 600 ms after the last key, at once when a control is left. There is one post at a
// time; what is not saved yet is kept in the tab and sent again. Without this script a button saves.
import { isComposing } from "./focus.js";
import { blankNames, placesIn } from "./choices.js";
import { drawn } from "./drawn.js";

const WAIT = 600;
const RETRY = 5000;
// A page that goes away may send so many bytes.
const MOST_KEPT_ALIVE = 60000;
const KEY = "formsvc.panel.";

const form = document.getElementById("panel");
const chip = document.querySelector("[data-save-chip]");
const box = form?.closest("[data-scrolls]");

const state = { saved: "", sending: undefined, timer: undefined, isTold: "", isComposing: false };

// Saving.

const say = (word, more = "") => {
  const words = chip.querySelector(`[data-word="${word}"]`).content.textContent;
  chip.dataset.state = ["offline", "refused"].includes(word) ? "unsaved" : word;
  const text = `${words}${more}`;
  if (chip.firstChild.textContent !== text) chip.firstChild.textContent = text;
};

const time = () => new Date().toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });

// Rows that are empty, and the text of all choices, are sent by buttons alone.
const pairs = () => {
  const isSent = ([name]) => name !== "csrf" && name !== "_tag" && !name.startsWith("_text.");
  const blank = blankNames(form);
  return [...new FormData(form)].filter((pair) => isSent(pair) && !blank.has(pair[0]));
};

// The server gives new rows their codes: those are no change. A tick may stand for a code of another form.
const stateOf = (all) => {
  const ticks = new Set([...form.querySelectorAll("input[type=checkbox][name$='code']")].map(({ name }) => name));
  const isGiven = (name) => /^(?:csrf|_tag|.*\]\.(?:api_)?code)$/u.test(name) && !ticks.has(name);
  return JSON.stringify(all.filter(([name]) => !isGiven(name)));
};

const stateNow = () => stateOf(pairs());

const isDirty = () => stateNow() !== state.saved;

const body = (more = []) => {
  const { csrf, _tag: tag } = form.elements;
  return new URLSearchParams([["csrf", csrf.value], ["_tag", tag.value], ...pairs(), ...more]);
};

const post = (sent) => fetch(form.action, {
  method: "POST",
  headers: { Accept: "application/json" },
  body: sent,
  keepalive: sent.toString().length < MOST_KEPT_ALIVE,
});

const key = () => KEY + form.action;

const keep = () => {
  try {
    if (isDirty()) sessionStorage.setItem(key(), body().toString());
    else sessionStorage.removeItem(key());
  } catch {
    // The browser stores nothing for this tab.
  }
};

// Faults, beside their controls.

// The control of a path; a path counts the rows that were sent.
const controlOf = (path, places) => {
  let within;
  for (const [row, { path: own }] of places) {
    // Rows within rows stand behind them.
    if (path === own || path.startsWith(`${own}.`)) within = { row, rest: path.slice(own.length + 1) };
  }
  // What has no control of its own is said where its owner stands.
  const nearest = (whole, find) => {
    for (const keys = whole.split(/(?=[.[])/u); keys[0]; keys.pop()) {
      const found = find(keys.join(""));
      if (found) return found;
    }
    return undefined;
  };
  const inRow = (rest) => within.row.querySelector(`[name$='.${CSS.escape(rest)}']`);
  const own = within && (nearest(within.rest, inRow) ?? within.row.querySelector("[data-line], select"));
  return own || nearest(path, (id) => document.getElementById(id));
};

const clearFaults = () => {
  // Those of files are told by what sends them.
  for (const fault of form.querySelectorAll(".fault:not([role], [aria-live])")) fault.remove();
  for (const field of form.querySelectorAll(".wrong")) field.classList.remove("wrong");
  for (const control of form.querySelectorAll("[aria-invalid]")) {
    control.removeAttribute("aria-invalid");
    const about = (control.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && !id.endsWith("-fault"));
    if (about.length) control.setAttribute("aria-describedby", about.join(" "));
    else control.removeAttribute("aria-describedby");
  }
};

const showFault = ({ attribute, message }, places) => {
  const control = controlOf(attribute, places);
  const line = document.createElement("p");
  line.className = "fault";
  line.textContent = message;
  if (!control || !form.contains(control)) {
    form.prepend(line);
    return;
  }
  line.id = `${control.id || attribute}-fault`;
  const known = document.getElementById(line.id);
  if (known) {
    known.textContent += ` · ${message}`;
    return;
  }
  control.ariaInvalid = "true";
  const about = control.getAttribute("aria-describedby");
  control.setAttribute("aria-describedby", about ? `${about} ${line.id}` : line.id);
  const part = control.closest(".part");
  const field = control.closest(".field");
  field?.classList.add("wrong");
  if (control.localName === "fieldset") control.querySelector("legend").after(line);
  else if (part && !field) part.append(line);
  else if (!field) control.append(line);
  else if (control.type === "checkbox") field.querySelector(".tick-about").append(line);
  else (control.closest(".colour-line") ?? control).before(line);
  for (let box = line.closest("details:not([open])"); box; box = line.closest("details:not([open])")) box.open = true;
};

const showFaults = (issues, places) => {
  const told = JSON.stringify(issues);
  if (told === state.isTold) return;
  state.isTold = told;
  clearFaults();
  for (const issue of issues) showFault(issue, places);
};

// The answer.

const partAt = (field, path) => path.split(/[.[\]]+/u).filter(Boolean).reduce((part, step) => part?.[step], field);

const takeCodes = (field, places) => {
  for (const [row, { path }] of places) {
    const part = partAt(field, path);
    for (const key of ["api_code", "code"]) {
      const input = row.querySelector(`:scope > input[name$='.${key}']`);
      if (input && part?.[key]) input.value = part[key];
    }
  }
};

// What follows from other controls is drawn by the server: it comes with the page.
const refresh = async ({ removed }) => {
  const isStale = (element) => !element.contains(document.activeElement) && element.dataset.removed !== removed;
  const stale = [...form.querySelectorAll("[data-fresh]")].filter(isStale);
  if (!stale.length) return;
  const page = await drawn();
  const tag = page?.querySelector("#panel input[name=_tag]")?.value;
  if (tag !== form.elements._tag.value || isDirty() || state.sending) return;
  for (const element of stale) {
    const fresh = page.getElementById(element.id);
    if (fresh && element.isConnected && !element.contains(document.activeElement)) {
      element.replaceWith(document.importNode(fresh, true));
    }
  }
  state.saved = stateNow();
};

// What is being composed is saved when it is whole.
const later = (wait) => {
  clearTimeout(state.timer);
  state.timer = setTimeout(() => { if (!state.isComposing) save(); }, wait);
};

const taken = (data, sent, places) => {
  form.elements._tag.value = data.tag;
  state.saved = sent;
  takeCodes(data.field, places);
  showFaults(data.issues, places);
  say("saved", ` ${time()}`);
  keep();
  dispatchEvent(new CustomEvent("question-saved", { detail: { ...data, code: form.dataset.code } }));
  if (isDirty()) later(WAIT);
  else refresh(data);
};

const send = async (more) => {
  const [sent, places] = [stateNow(), placesIn(form)];
  say("saving");
  let answer;
  try {
    answer = await post(body(more));
  } catch {
    say("offline");
    later(RETRY);
    return false;
  }
  if (answer.ok) {
    const { data } = await answer.json();
    taken(data, sent, places);
    return true;
  }
  if (answer.status === 422) {
    const { data } = await answer.json();
    showFaults(data?.issues ?? [], places);
    say("refused");
    return false;
  }
  say("unsaved");
  // Its page compares what was typed with what somebody else saved.
  if ([404, 412].includes(answer.status)) form.submit();
  // The page's own post asks for the session and goes on when it is there.
  else if (answer.status === 401) form.requestSubmit();
  else if (answer.status === 429 || answer.status >= 500) later(RETRY);
  return false;
};

// Whether all is saved now.
const save = async (more) => {
  clearTimeout(state.timer);
  // Of several that wait for a post, the next ones wait for the first one's.
  while (state.sending) await state.sending;
  if (!more && !isDirty()) return true;
  state.sending = send(more);
  const isSaved = await state.sending;
  state.sending = undefined;
  return isSaved;
};

const isBusy = () => state.sending !== undefined || isDirty();

// A plain post leads to the page that shows both.
const compare = (sent) => {
  const again = document.createElement("form");
  Object.assign(again, { method: "post", action: form.action, hidden: true });
  for (const [name, value] of sent) again.append(Object.assign(document.createElement("input"), { name, value }));
  document.body.append(again);
  again.submit();
};

// What a tab could not save before it was left. The page that went away may have saved it after all.
const resend = async () => {
  let kept = null;
  try {
    kept = sessionStorage.getItem(key());
    sessionStorage.removeItem(key());
  } catch {
    // The browser stores nothing for this tab.
  }
  if (!kept) return;
  const sent = new URLSearchParams(kept);
  if (stateOf([...sent]) === stateNow()) return;
  sent.set("csrf", form.elements.csrf.value);
  const answer = await post(sent).catch(() => undefined);
  if (answer?.ok) location.reload();
  else if (answer?.status === 412) compare(sent);
  else sessionStorage.setItem(key(), kept);
};

if (form?.querySelector(".panel-save")) {
  form.dataset.live = "";
  // One of its buttons loaded the page again.
  if (box && history.state?.top) box.scrollTop = history.state.top;
  state.saved = stateNow();
  state.sending = resend().then(() => { state.sending = undefined; });
  const isOurs = (target) => target.name && !target.name.startsWith("_");
  form.addEventListener("input", (event) => {
    if (!isOurs(event.target)) return;
    keep();
    const { name: path, value } = event.target;
    dispatchEvent(new CustomEvent("question-typed", { detail: { code: form.dataset.code, path, value } }));
    if (!event.isComposing) later(WAIT);
  });
  form.addEventListener("compositionstart", () => { state.isComposing = true; });
  form.addEventListener("compositionend", () => {
    state.isComposing = false;
    later(WAIT);
  });
  form.addEventListener("change", () => {
    keep();
    if (isDirty()) save();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const action = event.submitter?.name === "_action" ? event.submitter : undefined;
    const text = action?.value.endsWith(".text") ? [...new FormData(form)].filter(([name]) => name.startsWith("_text.")) : [];
    const isSaved = await save([...text, ...action ? [[action.name, action.value]] : []]);
    if (!isSaved || !action) return;
    history.replaceState({ ...history.state, top: box?.scrollTop }, "");
    location.reload();
  });
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s" || isComposing(event)) return;
    event.preventDefault();
    save([]);
  });
  addEventListener("online", () => { if (isDirty()) save(); });
  addEventListener("pagehide", () => {
    keep();
    if (isDirty() && !state.sending) post(body()).catch(() => undefined);
  });
  addEventListener("beforeunload", (event) => { if (isDirty() && !navigator.onLine) event.preventDefault(); });
  // Another page, and what another button does, begin with what was typed.
  addEventListener("click", async (event) => {
    const link = event.target.closest?.("a[href]");
    // What somebody else saved is taken instead of what was typed.
    if (link?.closest(".versions")) {
      clearTimeout(state.timer);
      state.saved = stateNow();
    }
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || link.target || !isBusy()) return;
    event.preventDefault();
    if (await save()) location.assign(link.href);
  });
  addEventListener("submit", async (event) => {
    const other = event.target;
    if (other === form || event.defaultPrevented || !isBusy()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (await save()) other.requestSubmit(event.submitter);
  }, { capture: true });
}
