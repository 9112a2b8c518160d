// The properties of the chosen question: saved as they change.
import { isComposing } from "./focus.js";

const PAUSE = 600;
const AGAIN = 4000;

const form = document.getElementById("panel");
const chip = document.querySelector("[data-save-chip]");
const word = (id) => chip.querySelector(`template[data-word="${id}"]`).content.textContent;
const kept = form && `draft ${form.action}`;

let timer;
let sending = false;
let waits = false;

const say = (id) => {
  const time = id === "saved" ? ` ${new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}` : "";
  chip.dataset.state = id;
  const text = `${word(id)}${time}`;
  const node = [...chip.childNodes].find((child) => child.nodeType === Node.TEXT_NODE) ?? chip.appendChild(new Text());
  if (node.textContent !== text) node.textContent = text;
};

const data = () => new URLSearchParams(new FormData(form));

// Faults stand beside the controls that they are about.
const showFaults = (issues) => {
  for (const old of form.querySelectorAll("p.fault[data-told]")) old.remove();
  for (const control of form.querySelectorAll("[aria-invalid]")) {
    control.removeAttribute("aria-invalid");
    control.closest(".field")?.classList.remove("wrong");
  }
  for (const old of form.querySelectorAll("p.fault:not([data-told])")) old.remove();
  for (const { attribute, message } of issues) {
    const control = form.elements.namedItem(attribute);
    const box = control?.closest?.(".field, .part") ?? form.querySelector(`[data-parts="${attribute}"]`) ?? form;
    const told = document.createElement("p");
    told.className = "fault";
    told.dataset.told = "";
    told.textContent = message;
    if (control?.setAttribute) {
      control.setAttribute("aria-invalid", "true");
      told.id = `${attribute}-fault`;
      control.setAttribute("aria-describedby", told.id);
      control.before(told);
    } else {
      box.prepend(told);
    }
  }
};

// New parts get their codes from the server, so that the next post is about the same ones.
const takeCodes = (field) => {
  for (const list of form.querySelectorAll("[data-parts]")) {
    const items = field[list.dataset.parts] ?? [];
    const rows = [...list.querySelectorAll(".part")].filter((row) => row.querySelector("input[type=text]").value.trim());
    if (rows.length !== items.length) continue;
    for (const [at, row] of rows.entries()) row.querySelector("input[type=hidden]").value = items[at].api_code ?? "";
  }
};

const later = (wait) => {
  clearTimeout(timer);
  timer = setTimeout(flush, wait);
};

async function flush() {
  clearTimeout(timer);
  timer = undefined;
  if (sending) {
    waits = true;
    return;
  }
  sending = true;
  say("saving");
  const body = data();
  const typed = body.toString();
  try {
    const answer = await fetch(form.action, { method: "POST", headers: { Accept: "application/json" }, body });
    if (answer.status === 412 || answer.status === 404) {
      // Somebody else changed it: the page shows both.
      form.requestSubmit();
      return;
    }
    if (!answer.ok) throw new Error(`${answer.status}`);
    const { data: saved } = await answer.json();
    form.elements._tag.value = saved.tag;
    takeCodes(saved.field ?? {});
    showFaults(saved.issues);
    sessionStorage.removeItem(kept);
    say("saved");
    dispatchEvent(new CustomEvent("question-saved", { detail: { ...saved, code: form.dataset.code } }));
  } catch {
    sessionStorage.setItem(kept, typed);
    say(navigator.onLine ? "unsaved" : "offline");
    later(AGAIN);
  } finally {
    sending = false;
    if (waits) {
      waits = false;
      flush();
    }
  }
}

const isUnsaved = () => timer !== undefined || sending || waits;

if (form && chip) {
  form.addEventListener("input", (event) => {
    const { name, value } = event.target;
    if (!name || name.startsWith("_text.")) return;
    dispatchEvent(new CustomEvent("question-typed", { detail: { code: form.dataset.code, path: name, value } }));
    if (!isComposing(event)) later(PAUSE);
  });
  form.addEventListener("change", (event) => { if (!event.target.name.startsWith("_text.")) flush(); });
  form.addEventListener("submit", () => { clearTimeout(timer); timer = undefined; });
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== "s") return;
    event.preventDefault();
    flush();
  });
  addEventListener("online", () => { if (timer !== undefined) flush(); });
  addEventListener("pagehide", () => {
    if (timer !== undefined) fetch(form.action, { method: "POST", headers: { Accept: "application/json" }, body: data(), keepalive: true });
  });
  addEventListener("beforeunload", (event) => { if (chip.dataset.state === "offline" && isUnsaved()) event.preventDefault(); });
  // What could not be sent before the page was left is sent now, over the question as it was then.
  const before = sessionStorage.getItem(kept);
  if (before) {
    for (const [name, value] of new URLSearchParams(before)) {
      const control = form.elements.namedItem(name);
      if (!control || ["csrf", "_tag"].includes(name)) continue;
      if (control.type === "checkbox") control.checked = true;
      else control.value = value;
    }
    flush();
  }
}
