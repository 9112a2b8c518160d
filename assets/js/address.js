// Addresses: the states follow the country, country names are in the page's language, the visitor's own country is
// preselected, and a postal code that can't be one is doubted. The server also accepts names of states, so nothing
// depends on this script.

const language = document.documentElement.lang || "en";

const lists = new Map();
// The states of a country: pairs of code and name; empty if it has none.
const statesOf = (country, locale) => {
  if (!lists.has(country)) {
    const request = fetch(new URL(`states-${country}.json`, import.meta.url)).then((answer) => {
      if (answer.status === 404) return {};
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.json();
    });
    request.catch(() => lists.delete(country));
    lists.set(country, request);
  }
  return lists.get(country).then((list) => list[locale] ?? list.en ?? []);
};

const COPIED_ATTRIBUTES = ["id", "name", "class", "autocomplete", "required", "aria-invalid", "aria-describedby"];
const replaceControl = (old, tag) => {
  if (old.localName === tag) return old;
  const copy = document.createElement(tag);
  for (const name of COPIED_ATTRIBUTES) {
    if (old.hasAttribute(name)) copy.setAttribute(name, old.getAttribute(name));
  }
  if (tag === "input") copy.dir = "auto";
  old.replaceWith(copy);
  return copy;
};

const equal = new Intl.Collator(language, { sensitivity: "base" });

const setUp = (box) => {
  const country = box.querySelector('[data-part="country"] select');
  const part = box.querySelector('[data-part="state"]');
  const control = () => part.querySelector("select, input");
  let shown = box.dataset.of;

  // The parts are in the order of the country. The country's own control never moves, so it keeps the focus.
  const orders = Object.entries(JSON.parse(box.dataset.orders));
  const arrange = () => {
    const ofCountry = orders.find(([countries]) => countries.split(" ").includes(country.value));
    const [, order] = ofCountry ?? orders.find(([countries]) => countries === "*");
    const parts = [...box.querySelectorAll("[data-part]")].slice(1);
    if (order.every((name, at) => parts[at].dataset.part === name)) return;
    box.append(...order.map((name) => parts.find((part) => part.dataset.part === name)));
  };

  const show = async () => {
    arrange();
    const chosenCode = country.value;
    if (chosenCode === "") {
      part.hidden = false;
      return;
    }
    let list;
    try {
      list = await statesOf(chosenCode, box.dataset.locale);
    } catch {
      // No connection: the name is typed.
    }
    if (country.value !== chosenCode) return;
    const before = control();
    // A value that the browser kept before this option existed, or the current one.
    const value = before.dataset.kept ?? before.value;
    if (!list) {
      if (shown !== chosenCode) replaceControl(before, "input").value = "";
      shown = chosenCode;
      return;
    }
    shown = chosenCode;
    part.hidden = list.length === 0;
    if (list.length === 0) {
      before.value = "";
      return;
    }
    const select = replaceControl(before, "select");
    select.replaceChildren(new Option(box.dataset.choose, ""), ...list.map(([code, name]) => new Option(name, code)));
    const found = list.find(([code, name]) => code === value || equal.compare(name, value) === 0);
    select.value = found?.[0] ?? "";
    delete select.dataset.kept;
  };

  country.addEventListener("change", show);
  if (country.value === "" && !box.querySelector("[aria-invalid]")) preselect(country);
  const isRight = shown === country.value && control().localName === "select" && !control().dataset.kept;
  if (!isRight) show();
};

// Preselects the visitor's country, taken from the browser's languages. Alone it counts as blank.
const preselect = (country) => {
  for (const tag of navigator.languages ?? []) {
    const region = tag.split("-").find((part, i) => i > 0 && /^[A-Z]{2}$/.test(part));
    if (region && [...country.options].some((option) => option.value === region)) {
      country.value = region;
      return;
    }
  }
};

// Blank, or up to twelve characters with a letter or a digit among them.
const POSSIBLE = /^(?=.*[\p{L}\p{N}]|$).{0,12}$/u;

// Says beside a postal code that it can't be one of any country. It is taken all the same: the server refuses what it
// knows to be wrong.
const doubt = (box) => {
  const input = box.querySelector('[data-part="postal_code"] input');
  const words = document.createElement("p");
  words.className = "hint";
  words.setAttribute("role", "status");
  input.after(words);
  const show = () => { words.textContent = POSSIBLE.test(input.value.trim()) ? "" : box.dataset.doubt; };
  input.addEventListener("change", show);
  show();
};

const name = (country) => {
  let names;
  try {
    names = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
  } catch {
    return;
  }
  const chosen = country.value;
  const [first, ...rest] = country.options;
  for (const option of rest) option.textContent = names.of(option.value) ?? option.textContent;
  const order = new Intl.Collator(language);
  rest.sort((a, b) => order.compare(a.textContent, b.textContent));
  country.replaceChildren(first, ...rest);
  country.value = chosen;
};

// After all modules, so that restored answers are in place.
addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("[data-address]")) {
    name(box.querySelector('[data-part="country"] select'));
    setUp(box);
    doubt(box);
  }
});
