// A formula is completed by questions and functions, checked while it is typed, and its faults are underlined. Without this
// script the panel's faults say their places.
import { isComposing } from "./focus.js";

const WAIT = 300;
const MOST_OPTIONS = 8;

const help = document.querySelector("[data-formula]");
const area = help && document.getElementById(help.dataset.formula);

// What can be inserted.
const options = [...help?.querySelectorAll("[data-option]") ?? []].map((item) => ({
  item,
  code: item.dataset.option,
  parameters: item.dataset.parameters?.split(/[,，]\s*/u),
  search: [item.dataset.option, item.dataset.name].map((text) => text.toLowerCase()),
}));

const element = (name, className) => Object.assign(document.createElement(name), { className });

// The text again behind the area, with lines below what is wrong.

const mirror = element("div", "formula-mirror");
mirror.ariaHidden = "true";

const underline = (faults) => {
  const characters = [...area.value];
  const parts = [];
  let end = 0;
  for (const { position, length } of [...faults].sort((a, b) => a.position - b.position)) {
    if (position < end) continue;
    const mark = document.createElement("mark");
    mark.textContent = characters.slice(position, position + length).join("");
    parts.push(characters.slice(end, position).join(""), mark);
    end = position + length;
  }
  mirror.replaceChildren(...parts, characters.slice(end).join(""), "\n");
};

// The check.

const state = help?.querySelector("[data-state]");
let timer;
let last = 0;

// What stands in the preview.
const answers = () => {
  const page = document.getElementById("preview")?.contentDocument;
  const form = page?.querySelector("[data-field]")?.closest("form");
  return form ? [...new FormData(form)].filter(([name, value]) => name.startsWith("field_") && typeof value === "string") : [];
};

const check = async () => {
  const number = ++last;
  const { address, csrf, code } = help.dataset;
  const result = document.getElementById("result_type")?.value ?? "";
  const own = [["csrf", csrf], ["code", code], ["expression", area.value], ["result_type", result]];
  let answer;
  try {
    answer = await fetch(address, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams([...own, ...answers()]),
    });
  } catch {
    return;
  }
  if (!answer.ok || number !== last) return;
  const { data } = await answer.json();
  if (number !== last) return;
  underline(data.faults);
  state.textContent = data.faults.length ? data.faults.map((fault) => fault.message).join(" · ") : data.sample ?? "";
  state.classList.toggle("bad", data.faults.length > 0);
};

const checkLater = () => {
  clearTimeout(timer);
  timer = setTimeout(check, WAIT);
};

// The list of what can be inserted.

const list = element("ul", "formula-list");
Object.assign(list, { id: "formula-list", role: "listbox", hidden: true });
let chosen = -1;

const wordBefore = () => /[\p{L}_][\p{L}\p{N}_.]*$/u.exec(area.value.slice(0, area.selectionStart))?.[0] ?? "";

const close = () => {
  list.hidden = true;
  chosen = -1;
  area.removeAttribute("aria-activedescendant");
};

const choose = (at) => {
  chosen = at;
  for (const [index, item] of [...list.children].entries()) item.ariaSelected = String(index === at);
  area.setAttribute("aria-activedescendant", list.children[at].id);
  list.children[at].scrollIntoView({ block: "nearest" });
};

const accept = (option) => {
  const word = wordBefore();
  const end = area.selectionStart;
  const text = option.parameters ? `${option.code}(` : option.code;
  area.setRangeText(text, end - word.length, end, "end");
  close();
  area.dispatchEvent(new InputEvent("input", { bubbles: true }));
  area.focus();
  // What was just inserted needs no completion.
  close();
};

const open = (all) => {
  const word = wordBefore().toLowerCase();
  const fits = ({ search: [code, name] }) => code.startsWith(word) || (name !== "" && name.includes(word));
  const found = (word || all ? options.filter(fits) : []).slice(0, MOST_OPTIONS);
  if (found.length === 0 || (found.length === 1 && found[0].code.toLowerCase() === word)) {
    close();
    return;
  }
  list.replaceChildren(...found.map((option, at) => {
    const item = option.item.cloneNode(true);
    Object.assign(item, { id: `formula-option-${at}`, role: "option" });
    item.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      accept(option);
    });
    item.acceptNow = () => accept(option);
    return item;
  }));
  list.hidden = false;
  choose(0);
};

// The function that the caret stands in, and the parameter that comes next.

const hint = help?.querySelector("[data-hint]");

const around = () => {
  const open = [];
  let isText = false;
  for (const [at, character] of [...area.value.slice(0, area.selectionStart)].entries()) {
    if (character === '"') isText = !isText;
    else if (isText) continue;
    else if (character === "(") open.push({ at, commas: 0 });
    else if (character === ")") open.pop();
    else if (character === "," && open.length) open.at(-1).commas += 1;
  }
  const inner = open.at(-1);
  const name = inner && /[A-Za-z_]+\s*$/u.exec([...area.value].slice(0, inner.at).join(""))?.[0].trim().toUpperCase();
  const option = options.find(({ code, parameters }) => parameters && code === name);
  return option && { option, at: inner.commas };
};

const showHint = () => {
  const found = around();
  hint.hidden = !found;
  if (!found) return;
  const { option: { code, parameters }, at } = found;
  const now = Math.min(at, parameters.length - 1);
  const parts = parameters.flatMap((parameter, index) => {
    const shown = document.createElement(index === now ? "strong" : "span");
    shown.textContent = parameter;
    return index ? [", ", shown] : [shown];
  });
  hint.replaceChildren(`${code}(`, ...parts, ")");
};

const onKey = (event) => {
  if (isComposing(event)) return;
  if (event.ctrlKey && event.key === " ") {
    event.preventDefault();
    open(true);
    return;
  }
  if (list.hidden) return;
  const count = list.children.length;
  if (event.key === "ArrowDown") choose((chosen + 1) % count);
  else if (event.key === "ArrowUp") choose((chosen + count - 1) % count);
  else if (event.key === "Enter" || event.key === "Tab") list.children[chosen].acceptNow();
  else if (event.key === "Escape") close();
  else return;
  event.preventDefault();
  event.stopPropagation();
};

if (area && !area.matches(":disabled")) {
  const box = element("div", "formula-box");
  area.before(box);
  box.append(area, mirror, list);
  area.classList.add("formula-area");
  const look = getComputedStyle(area);
  for (const key of ["padding", "fontSize", "lineHeight"]) mirror.style[key] = look[key];
  list.setAttribute("aria-label", help.querySelector("summary").textContent);
  area.setAttribute("aria-autocomplete", "list");
  area.setAttribute("aria-controls", list.id);
  area.spellcheck = false;
  area.addEventListener("keydown", onKey);
  area.addEventListener("input", (event) => {
    underline([]);
    checkLater();
    showHint();
    if (!event.isComposing) open(false);
  });
  area.addEventListener("click", showHint);
  area.addEventListener("keyup", showHint);
  area.addEventListener("scroll", () => { mirror.scrollTop = area.scrollTop; });
  area.addEventListener("blur", close);
  document.getElementById("result_type")?.addEventListener("change", checkLater);
  // The sample follows what is typed into the preview.
  document.addEventListener("load", ({ target }) => {
    if (target.localName === "iframe") target.contentDocument?.addEventListener("change", checkLater);
  }, { capture: true });
  document.getElementById("preview")?.contentDocument?.addEventListener("change", checkLater);
  checkLater();
}
