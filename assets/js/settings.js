// Pages of settings: sections stand open where there is room for all of them, a link to one opens it, a search leaves
// those that have its words, and buttons add rows of inputs. Without scripts, the sections open one by one, and an empty
// row stands below the others. A placeholder is put where the text cursor was last, and a sample shows what is typed.

const ROOM = matchMedia("(min-width: 60rem)");

const sections = [...document.querySelectorAll(".settings-section")];

const openNamed = () => {
  const name = decodeURIComponent(location.hash.slice(1));
  const named = name && document.getElementById(name);
  const section = named && named.closest(".settings-section");
  if (!section) return;
  section.open = true;
  named.scrollIntoView();
};

// The page that answers a post is opened at its top; faults take the focus by themselves.
const told = document.querySelector(".settings-section[open] > .settings-content > .message");

if (sections.length) {
  if (ROOM.matches) {
    for (const section of sections) {
      if (!("folded" in section.dataset)) section.open = true;
    }
  }
  // From now on they close too.
  for (const section of sections) section.dataset.ready = "";
  openNamed();
  if (told && told.id !== "summary" && !location.hash) told.scrollIntoView({ block: "center" });
  addEventListener("hashchange", openNamed);
}

const hasAll = (element, words) => {
  const text = element.textContent.toLowerCase();
  return words.every((word) => text.includes(word));
};

const enhanceSearch = (input) => {
  const said = input.parentElement.querySelector("[data-none]");
  const links = [...document.querySelectorAll(".settings-side a")];
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/u).filter(Boolean);
    let count = 0;
    for (const section of sections) {
      const isFound = hasAll(section, words);
      section.hidden = !isFound;
      if (isFound) count += 1;
      for (const part of words.length ? [section, ...section.querySelectorAll("details")] : []) {
        if (hasAll(part, words)) part.open = true;
      }
      const link = links.find((link) => link.hash === `#${section.id}`);
      if (link) link.parentElement.hidden = !isFound;
    }
    said.textContent = count ? "" : said.dataset.none;
  });
};

for (const input of document.querySelectorAll("#find-setting")) enhanceSearch(input);

// `name[2].key` in names, ids and what refers to them.
const renumber = (row, from, to) => {
  for (const element of [row, ...row.querySelectorAll("*")]) {
    for (const { name, value } of [...element.attributes]) {
      if (["id", "name", "for"].includes(name)) element.setAttribute(name, value.replace(`[${from}].`, `[${to}].`));
    }
  }
  const label = row.getAttribute("aria-label");
  row.setAttribute("aria-label", label.replace(/\d+$/u, String(to + 1)));
};

const addRow = (button) => {
  const rows = document.getElementById(button.dataset.addRow);
  const spare = rows.querySelector(".input-row.spare");
  const number = Number(rows.dataset.rows);
  const row = spare.cloneNode(true);
  row.classList.remove("spare");
  renumber(spare, number, number + 1);
  rows.dataset.rows = String(number + 1);
  spare.before(row);
  row.querySelector("input").focus();
};

for (const button of document.querySelectorAll("button[data-add-row]")) {
  button.addEventListener("click", () => addRow(button));
}

// Placeholders.

let lastText;

addEventListener("focusin", ({ target }) => {
  if (target.matches("input[type=text], textarea, [contenteditable]")) lastText = target;
});

const insert = (button) => {
  const form = button.closest("form");
  const into = lastText && form.contains(lastText) ? lastText : form.querySelector("textarea");
  into.focus();
  // Undo of the browser takes it back.
  document.execCommand("insertText", false, button.dataset.insert);
};

for (const button of document.querySelectorAll("button[data-insert]")) {
  button.addEventListener("click", () => insert(button));
}

// A longer address may be refused: it shows what is stored.
const MOST_ADDRESS = 8000;

for (const link of document.querySelectorAll("a[data-sample]")) {
  const stored = link.href;
  link.addEventListener("click", () => {
    const { elements } = link.closest("form");
    const query = new URLSearchParams(link.dataset.sample.split(" ").map((name) => [name, elements[name].value]));
    const address = `${stored}?${query}`;
    link.href = address.length <= MOST_ADDRESS ? address : stored;
  });
}
