// Leads to a form, a question, an entry, a page or an act by its name: a combobox in a dialog that Ctrl+K opens.
import { isComposing } from "./focus.js";

const TYPING_DELAY = 120;
const MOST = 20;
// Of these, the page's own, where something else was found too.
const MOST_OWN = 10;
// Where somebody went from here, the last one first.
const RECENT = "finder";
const MOST_RECENT = 30;

const dialog = document.getElementById("finder");
const input = document.getElementById("finder-text");
const list = document.getElementById("finder-list");
const none = dialog?.querySelector("[data-none]");
const status = dialog?.querySelector("[data-count]");

const folded = (text) => text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim();

let own = [];
let options = [];
let active = -1;
let timer = 0;
let current;
// Enter was pressed before the answer was there.
let goesFirst = false;
// An arrow was pressed: what it chose stays chosen.
let hasMoved = false;

// A browser that keeps nothing knows nothing of before.
const recent = () => {
  try {
    const kept = JSON.parse(localStorage.getItem(RECENT) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
};

// Acts of the page have no address.
const placeOf = (option) => {
  const address = option.url ?? option.element.href;
  return address ? new URL(address, location).pathname : "";
};

const remember = (option) => {
  const place = placeOf(option);
  if (!place) return;
  try {
    const places = [place, ...recent().filter((other) => other !== place)].slice(0, MOST_RECENT);
    localStorage.setItem(RECENT, JSON.stringify(places));
  } catch {
    // It goes there all the same.
  }
};

// The name of a link or an act; one of a menu has the menu's before it.
const nameOf = (element) => {
  const menu = element.closest("[popover]");
  const opener = menu && document.querySelector(`[popovertarget="${menu.id}"]`);
  const words = [opener, element].map((part) => part?.textContent.replace(/\s+/gu, " ").trim());
  return words.filter(Boolean).join(" › ");
};

// What stands in a row is about that row alone; what nobody sees is not offered either.
const isOffered = (element) => !element.closest("dialog, tbody, .rows") && element.href !== location.href
  && (element.checkVisibility() || element.closest("[popover]") !== null);

// What changes something at one press is led to, where its words are; a folded part is opened.
const PLACES = "main button[type=submit], main summary";
// Parts of one thing among several.
const PARTS = "[popover], li, fieldset";

// Links and acts that the page has itself, each once.
const ofPage = () => {
  const places = [
    ["page", ".site-head nav a:not(.brand), .tabs a, .settings-side nav a"],
    ["act", "main a.button, .menu a, main button[data-print], main button[command='show-modal']"],
  ];
  const seen = new Set();
  const all = places.flatMap(([kind, selector]) => [...document.querySelectorAll(selector)].flatMap((element) => {
    const name = nameOf(element);
    const key = element.href ?? name;
    if (!name || seen.has(key) || !isOffered(element)) return [];
    seen.add(key);
    return [{ kind, name, element, key: folded(name) }];
  }));
  for (const element of document.querySelectorAll(PLACES)) {
    const name = nameOf(element);
    if (name && isOffered(element) && !element.closest(PARTS)) {
      all.push({ kind: "act", name, element, key: folded(name), isLedTo: true });
    }
  }
  const named = (key) => all.filter((option) => option.key === key).length;
  // Which of several is meant, their words don't say.
  const known = all.filter((option) => !option.isLedTo || named(option.key) === 1);
  // Two places of one name say where they stand.
  return known.map((option) => {
    const nav = named(option.key) > 1 && option.element.closest("nav[aria-label]");
    return nav ? { ...option, name: `${option.name} – ${nav.getAttribute("aria-label")}` } : option;
  });
};

const KINDS = ["entry", "page", "act", "form", "question"];

// How well a name fits: it is what was typed, begins with it, has a word that does, has it somewhere.
const fitOf = (option, typed) => {
  const key = option.key ?? folded(option.name);
  const fits = [option.kind === "entry" || key === typed, key.startsWith(typed), ` ${key}`.includes(` ${typed}`)];
  return fits.indexOf(true) < 0 ? fits.length : fits.indexOf(true);
};

// The best fit first; of those that fit as well where somebody went last, then by kind.
const ranked = (found, typed) => {
  const places = recent();
  const ranks = new Map(found.map((option) => {
    const last = places.indexOf(placeOf(option));
    return [option, [fitOf(option, typed), last < 0 ? MOST_RECENT : last, KINDS.indexOf(option.kind)]];
  }));
  return [...found].sort((a, b) => {
    const [first, second] = [ranks.get(a), ranks.get(b)];
    const at = first.findIndex((rank, place) => rank !== second[place]);
    return at < 0 ? 0 : first[at] - second[at];
  });
};

const highlight = (at) => {
  active = at;
  for (const [place, item] of [...list.children].entries()) {
    item.setAttribute("aria-selected", String(place === at));
    if (place === at) item.scrollIntoView({ block: "nearest" });
  }
  if (at < 0) input.removeAttribute("aria-activedescendant");
  else input.setAttribute("aria-activedescendant", list.children[at].id);
};

const leadTo = (element) => {
  if (element.localName === "summary") element.parentElement.open = true;
  element.focus();
};

const go = (option) => {
  if (!option) return;
  dialog.close();
  remember(option);
  if (option.isLedTo) leadTo(option.element);
  else if (option.element) option.element.click();
  else location.assign(option.url);
};

const draw = (found, isLast) => {
  options = found.slice(0, MOST);
  list.replaceChildren(...options.map((option, at) => {
    const template = dialog.querySelector(`template[data-kind="${option.kind}"]`);
    const item = template.content.firstElementChild.cloneNode(true);
    item.id = `finder-option-${at}`;
    item.querySelector("bdi").textContent = option.name;
    // A press would take the focus from the input.
    item.addEventListener("pointerdown", (event) => event.preventDefault());
    item.addEventListener("click", () => go(option));
    return item;
  }));
  input.setAttribute("aria-expanded", String(options.length > 0));
  none.textContent = isLast && options.length === 0 ? none.dataset.none : "";
  const count = none.textContent || status.dataset.count.replace("{n}", options.length);
  status.textContent = isLast ? count : "";
  highlight(options.length > 0 ? 0 : -1);
};

const ask = async (text) => {
  current?.abort();
  current = new AbortController();
  const { signal } = current;
  const address = new URL(dialog.dataset.find, location);
  address.searchParams.set("q", text);
  try {
    const answer = await fetch(address, { signal, headers: { Accept: "application/json" } });
    return answer.ok ? (await answer.json()).data : [];
  } catch {
    // Without a connection the page's own links are still there.
    return signal.aborted ? undefined : [];
  }
};

const search = () => {
  clearTimeout(timer);
  current?.abort();
  goesFirst = false;
  hasMoved = false;
  const text = input.value.trim();
  const key = folded(text);
  const matching = ranked(own.filter((option) => option.key.includes(key)), key);
  draw(matching, false);
  if (!text) return;
  timer = setTimeout(async () => {
    const found = await ask(text);
    if (!found) return;
    const chosen = options[active];
    draw(ranked([...matching.slice(0, found.length > 0 ? MOST_OWN : MOST), ...found], key), true);
    const at = hasMoved ? options.indexOf(chosen) : 0;
    if (at > 0) highlight(at);
    if (goesFirst) go(options[0]);
  }, TYPING_DELAY);
};

const open = () => {
  own = ofPage();
  input.value = "";
  dialog.showModal();
  search();
};

const step = (by) => {
  hasMoved = true;
  if (options.length > 0) highlight((active + by + options.length) % options.length);
};

const keys = {
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  Enter: () => {
    if (active >= 0) go(options[active]);
    else goesFirst = true;
  },
};

if (dialog) {
  const isMac = /mac|iphone|ipad/iu.test(navigator.platform);
  input.addEventListener("input", (event) => {
    if (!event.isComposing) search();
  });
  input.addEventListener("compositionend", search);
  input.addEventListener("keydown", (event) => {
    if (isComposing(event) || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  // A press outside.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    clearTimeout(timer);
    current?.abort();
  });
  for (const button of document.querySelectorAll("[data-finder]")) {
    if (isMac) button.querySelector("kbd").textContent = "⌘ K";
    button.addEventListener("click", open);
  }
  // On a Mac, Ctrl+K cuts the rest of a line.
  addEventListener("keydown", (event) => {
    const isKey = (isMac ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey;
    if (!isKey || event.key.toLowerCase() !== "k" || isComposing(event) || event.defaultPrevented) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else open();
  });
}
