// Rankings: a list that is sorted with buttons, or by dragging. The rank inputs stay, hidden, because they are what is
// posted.

const SVG = "http://www.w3.org/2000/svg";
const SIGNS = { up: "M6 15l6-6 6 6", down: "M6 9l6 6 6-6", add: "M12 5v14M5 12h14", remove: "M6 6l12 12M18 6L6 18" };

const fillIn = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

// The same as nodes, for a choice in another language than the text.
const nodesOf = (text, values, lang) => text.split(/(\{choice\})/).map((part) => {
  if (part !== "{choice}") return fillIn(part, values);
  const choice = document.createElement("bdi");
  if (lang) choice.lang = lang;
  choice.textContent = values.choice;
  return choice;
});

const sign = (name) => {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", SIGNS[name]);
  svg.append(path);
  return svg;
};

const enhance = (box) => {
  const words = box.dataset;
  const maxRanked = Number(words.most);
  const list = document.createElement("ol");
  list.className = "rank-list";
  const live = document.createElement("p");
  live.className = "visually-hidden";
  live.setAttribute("role", "status");
  let ranked = [];
  let dragged = null;

  const items = [...box.querySelectorAll(".rank-row")].map((row) => {
    const named = row.querySelector("label");
    const left = named.querySelector(".left");
    const choice = [...named.childNodes].filter((node) => node !== left).map((node) => node.textContent).join("").trim();
    const item = { select: row.querySelector("select, input"), choice, lang: named.lang, element: document.createElement("li"), buttons: {} };
    item.element.className = "rank-item";
    item.rank = document.createElement("span");
    item.rank.className = "rank";
    const label = document.createElement("span");
    label.className = "rank-label";
    label.dir = "auto";
    if (named.lang) label.lang = named.lang;
    label.textContent = choice;
    item.element.append(item.rank, label);
    if (left) item.element.append(left.cloneNode(true));
    for (const name of Object.keys(SIGNS)) {
      const button = document.createElement("button");
      button.type = "button";
      if (named.lang) {
        const hiddenLabel = document.createElement("span");
        hiddenLabel.className = "visually-hidden";
        hiddenLabel.append(...nodesOf(words[name], { choice }, named.lang));
        button.append(hiddenLabel);
      } else {
        button.setAttribute("aria-label", fillIn(words[name], { choice }));
        button.title = button.getAttribute("aria-label");
      }
      button.append(sign(name));
      button.addEventListener("click", () => press(item, name));
      item.buttons[name] = button;
      item.element.append(button);
    }
    row.hidden = true;
    return item;
  });

  const draw = () => {
    const focused = document.activeElement;
    const others = items.filter((item) => !ranked.includes(item));
    // Moves only the others, so that the focused element keeps the focus.
    [...ranked, ...others].forEach((item, at) => {
      const before = list.children[at];
      if (before === item.element) return;
      list.insertBefore(item.element, before ?? null);
    });
    for (const item of items) {
      const at = ranked.indexOf(item);
      const isRanked = at >= 0;
      item.element.classList.toggle("ranked", isRanked);
      // What is full is disabled.
      const canAdd = ranked.length < maxRanked && !item.select.disabled;
      item.element.draggable = isRanked || canAdd;
      item.rank.textContent = isRanked ? String(at + 1) : "–";
      item.buttons.up.hidden = item.buttons.down.hidden = item.buttons.remove.hidden = !isRanked;
      item.buttons.add.hidden = isRanked;
      item.buttons.up.disabled = at === 0;
      item.buttons.down.disabled = at === ranked.length - 1;
      item.buttons.add.disabled = !canAdd;
    }
    if (focused?.isConnected && list.contains(focused)) focused.focus();
  };

  const setRanks = () => {
    for (const { select } of items) select.value = "";
    ranked.forEach(({ select }, at) => { select.value = String(at + 1); });
  };

  const post = (changed) => {
    setRanks();
    changed.select.dispatchEvent(new Event("change", { bubbles: true }));
    const rank = ranked.indexOf(changed) + 1;
    const values = { choice: changed.choice, rank, ranks: ranked.length };
    live.replaceChildren(...nodesOf(rank > 0 ? words.ranked : words.unranked, values, changed.lang));
  };

  const put = (item, at) => {
    ranked = ranked.filter((other) => other !== item);
    if (at >= 0) ranked.splice(at, 0, item);
    draw();
    post(item);
  };

  const press = (item, name) => {
    const at = ranked.indexOf(item);
    put(item, { up: at - 1, down: at + 1, add: ranked.length, remove: -1 }[name]);
    const next = [item.buttons[name], ...Object.values(item.buttons)];
    next.find((button) => !button.hidden && !button.disabled)?.focus();
  };

  list.addEventListener("dragstart", (event) => {
    dragged = items.find((item) => item.element === event.target);
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.choice);
    dragged.element.classList.add("dragged");
  });
  list.addEventListener("dragover", (event) => {
    if (dragged) event.preventDefault();
  });
  list.addEventListener("drop", (event) => {
    if (!dragged) return;
    event.preventDefault();
    const over = event.target.closest(".rank-item");
    const left = ranked.filter((item) => item !== dragged);
    const target = left.findIndex((item) => item.element === over);
    if (over === dragged.element) return;
    if (target < 0) {
      put(dragged, left.length);
    } else {
      const half = over.getBoundingClientRect();
      put(dragged, event.clientY > half.top + half.height / 2 ? target + 1 : target);
    }
  });
  list.addEventListener("dragend", () => {
    dragged?.element.classList.remove("dragged");
    dragged = null;
  });

  const rankedItems = () => {
    const rank = (item) => Number(item.select.value);
    return items.filter((item) => !item.select.disabled && rank(item) > 0).sort((a, b) => rank(a) - rank(b));
  };
  // The value was changed from outside: restored answers, or the browser's history.
  const sync = () => {
    const order = rankedItems();
    if (order.some((item, at) => item !== ranked[at]) || order.length !== ranked.length) {
      ranked = order;
      draw();
    }
    // A restored choice that is full by now leaves no gap.
    if (items.some(({ select }) => select.disabled && select.value !== "")) setRanks();
  };
  box.addEventListener("change", sync);
  addEventListener("pageshow", sync);
  ranked = rankedItems();
  box.append(list, live);
  draw();
};

document.querySelectorAll(".ranking").forEach(enhance);
