// A linked field as a combobox, built from the page's search input and radio buttons, which are used without scripts.
import { isComposing } from "./focus.js";

const TYPING_DELAY = 250;
const MIN_KEYWORD = 2;

const make = (name, attributes = {}) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

// The same post as the page's search button, without the answers.
const search = async (form, name, keyword, signal) => {
  const body = new URLSearchParams({ _action: "find", _page: "0", [`_find.${name}`]: keyword });
  // The right to ask: the form's password, the right to edit a row of a public query, or that of somebody signed in.
  for (const right of ["_grant", "edit_token", "csrf"]) {
    const input = form.elements[right];
    if (input) body.set(right, input.value);
  }
  const answer = await fetch(form.action, { method: "POST", body, signal, headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
};

const isolated = (text) => {
  const element = make("bdi");
  element.textContent = text;
  return element;
};

const detail = ({ name, text }) => {
  const line = make("span", { class: "linked-detail" });
  line.append(isolated(name), ": ", isolated(text));
  return line;
};

const enhance = (box) => {
  const name = box.dataset.linked;
  const form = box.closest("form");
  const input = box.querySelector("input[type=search]");
  if (!form || !input) return;
  const chosen = box.querySelector("input[type=radio]:checked[data-label]");
  const minLength = box.hasAttribute("data-browse") ? 0 : MIN_KEYWORD;
  const words = box.dataset;

  const value = make("input", { type: "hidden", name });
  const list = make("ul", { role: "listbox", id: `${name}-list`, class: "linked-list", "aria-label": input.getAttribute("aria-label") });
  const clear = make("button", { type: "button", class: "linked-clear", "aria-label": words.clear, title: words.clear });
  const status = make("p", { class: "linked-said", role: "status", id: `${name}-said` });
  const shown = make("p", { class: "linked-shown" });
  const frame = make("div", { class: "linked-frame" });
  if (words.lang) shown.lang = words.lang;
  list.hidden = true;
  clear.textContent = "×";

  let label = "";
  let options = [];
  let active = -1;
  let timer = 0;
  let current = null;

  const close = () => {
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const stop = () => {
    clearTimeout(timer);
    current?.abort();
    current = null;
  };

  const open = () => {
    if (options.length === 0) return;
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
  };

  const highlight = (at) => {
    active = at;
    [...list.children].forEach((item, i) => {
      item.setAttribute("aria-selected", String(i === at));
      if (i === at) item.scrollIntoView({ block: "nearest" });
    });
    if (at < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", list.children[at].id);
  };

  // Typed text without a chosen entry would be lost.
  const isUnresolved = () => value.value === "" && input.value.trim() !== "";
  const clearWarning = () => {
    status.classList.remove("fault");
    input.removeAttribute("aria-invalid");
  };
  const warn = () => {
    status.textContent = words.hint;
    status.classList.add("fault");
    input.setAttribute("aria-invalid", "true");
  };
  // Before the form's own handler: such text stops the form.
  form.addEventListener("submit", (event) => {
    const isForward = ["submit", "wait", "next"].includes(event.submitter?.value ?? "submit");
    if (!isForward || !isUnresolved() || !input.checkVisibility()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    warn();
    input.focus();
  }, { capture: true });

  const set = (option) => {
    const before = value.value;
    value.value = option?.token ?? "";
    label = option?.label ?? "";
    shown.replaceChildren(...(option?.details ?? []).map(detail));
    if (option) input.value = label;
    clear.hidden = input.value === "";
    if (value.value !== before) value.dispatchEvent(new Event("change", { bubbles: true }));
  };

  const choose = (at) => {
    stop();
    set(options[at]);
    clearWarning();
    status.textContent = "";
    close();
  };

  const draw = (found) => {
    options = found.options;
    list.replaceChildren(...options.map((option, i) => {
      const item = make("li", { role: "option", id: `${name}-option-${i}`, "aria-selected": "false" });
      if (words.lang) item.lang = words.lang;
      const title = isolated(option.label);
      title.className = "linked-label";
      item.append(title, ...option.details.map(detail));
      // A press would take the focus from the input.
      item.addEventListener("pointerdown", (event) => event.preventDefault());
      item.addEventListener("click", () => choose(i));
      return item;
    }));
    if (options.length === 0) close();
    else open();
    highlight(-1);
    const count = words.count.replace("#", String(options.length));
    if (options.length === 0) status.textContent = words.none;
    else status.textContent = found.more ? `${count} ${words.more}` : count;
  };

  const ask = async () => {
    stop();
    const keyword = input.value.trim();
    if ([...keyword].length < minLength) {
      options = [];
      close();
      status.textContent = keyword === "" ? "" : words.longer;
      return;
    }
    const controller = new AbortController();
    current = controller;
    box.setAttribute("aria-busy", "true");
    try {
      const found = await search(form, name, keyword, controller.signal);
      if (current === controller) draw(found);
    } catch (fault) {
      if (current === controller && fault.name !== "AbortError") {
        options = [];
        close();
        status.textContent = words.failed;
      }
    } finally {
      if (current === controller || current === null) box.removeAttribute("aria-busy");
    }
  };

  input.addEventListener("input", (event) => {
    event.stopPropagation();
    if (value.value !== "") set(null);
    clearWarning();
    clear.hidden = input.value === "";
    stop();
    // Unfinished compositions are not searched.
    if (!event.isComposing) timer = setTimeout(ask, TYPING_DELAY);
  });
  input.addEventListener("compositionend", () => {
    stop();
    timer = setTimeout(ask, TYPING_DELAY);
  });
  // Typed text is not an answer yet.
  input.addEventListener("change", (event) => event.stopPropagation());
  input.addEventListener("focus", () => {
    if (value.value === "" && minLength === 0 && options.length === 0) ask();
  });
  input.addEventListener("click", () => {
    if (value.value === "") open();
  });
  input.addEventListener("blur", () => {
    // A late response must neither open the list nor replace the warning.
    stop();
    close();
    if (isUnresolved()) warn();
  });
  input.addEventListener("keydown", (event) => {
    if (isComposing(event)) return;
    const last = options.length - 1;
    const step = (at) => {
      event.preventDefault();
      if (list.hidden) {
        if (options.length === 0) ask();
        else open();
      }
      if (!list.hidden && last >= 0) highlight(at);
    };
    if (event.key === "ArrowDown") {
      step(active < last ? active + 1 : 0);
    } else if (event.key === "ArrowUp") {
      step(active > 0 ? active - 1 : last);
    } else if (event.key === "Enter") {
      // Enter never submits the form during a search.
      if (!list.hidden && active >= 0) {
        event.preventDefault();
        choose(active);
      } else if (value.value === "" && input.value.trim() !== "") {
        event.preventDefault();
        ask();
      }
    } else if (event.key === "Escape") {
      if (list.hidden && input.value === "") return;
      event.preventDefault();
      if (list.hidden) clear.click();
      else close();
    }
  });
  clear.addEventListener("click", () => {
    stop();
    options = [];
    input.value = "";
    set(null);
    clearWarning();
    status.textContent = "";
    close();
    input.focus();
  });

  // A restored draft has the value, but not its label.
  box.closest(".field")?.addEventListener("grow", async (event) => {
    const kept = event.detail.find(([key]) => key === name)?.[1];
    if (!kept) return;
    const found = await search(form, name, kept).catch(() => ({ options: [] }));
    const option = found.options.find(({ token }) => token === kept);
    if (option && input.value === "") set(option);
  });

  input.setAttribute("aria-describedby", `${input.getAttribute("aria-describedby") ?? ""} ${status.id}`.trim());
  input.type = "text";
  input.removeAttribute("name");
  for (const [key, text] of Object.entries({
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": list.id,
    "aria-autocomplete": "list",
    "aria-haspopup": "listbox",
    autocapitalize: "none",
    spellcheck: "false",
  })) input.setAttribute(key, text);
  frame.append(...box.querySelectorAll(".linked-glass"), input, clear, list);
  box.replaceChildren(...box.querySelectorAll(":scope > .limits"), frame, shown, status, value);
  if (chosen) {
    input.value = chosen.dataset.label;
    const lines = chosen.closest("label").querySelectorAll(".linked-detail");
    value.value = chosen.value;
    label = chosen.dataset.label;
    shown.replaceChildren(...lines);
  }
  clear.hidden = input.value === "";
};

document.querySelectorAll("[data-linked]").forEach(enhance);
