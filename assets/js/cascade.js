// Cascades: a list for each level instead of the one list of complete paths. That list stays, hidden, because it is
// what is posted.

const partsOf = (option) => {
  const group = option.closest("optgroup");
  const labels = option.dataset.labels ? JSON.parse(option.dataset.labels) : [option.textContent.trim()];
  return group ? [group.label, ...labels] : labels;
};

// The paths as a tree: code → { label, below }.
const treeOf = (select) => {
  const top = new Map();
  for (const option of select.options) {
    if (option.value === "" || "partial" in option.dataset) continue;
    const labels = partsOf(option);
    let level = top;
    option.value.split("/").forEach((code, at) => {
      if (!level.has(code)) level.set(code, { label: labels[at] ?? code, below: new Map() });
      level = level.get(code).below;
    });
  }
  return top;
};

const enhance = (select) => {
  const top = treeOf(select);
  const noneLabel = select.options[0].textContent;
  const box = document.createElement("div");
  box.className = "cascade-levels";
  const id = select.id;
  select.id = `${id}-ways`;
  select.hidden = true;
  select.before(box);

  const post = (path) => {
    const value = path.join("/");
    if (![...select.options].some((option) => option.value === value)) {
      // An incomplete path is posted too: the server says what is missing.
      const option = new Option(value, value);
      option.dataset.partial = "";
      select.append(option);
    }
    select.value = value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  };

  const draw = (path) => {
    let level = top;
    const lists = [];
    for (let at = 0; level.size > 0; at += 1) {
      const list = box.children[at] ?? document.createElement("select");
      list.className = "input";
      if (select.lang) list.lang = select.lang;
      const first = new Option(noneLabel, "");
      if (select.options[0].lang) first.lang = select.options[0].lang;
      list.replaceChildren(first);
      for (const [code, { label }] of level) {
        const option = new Option(label, code);
        option.dir = "auto";
        list.append(option);
      }
      list.value = level.has(path[at]) ? path[at] : "";
      if (at === 0) {
        list.id = id;
      } else {
        list.setAttribute("aria-label", `${select.dataset.label}: ${lists[at - 1].selectedOptions[0].label}`);
      }
      list.required = select.required;
      for (const name of ["aria-invalid", "aria-describedby"]) {
        if (select.hasAttribute(name)) list.setAttribute(name, select.getAttribute(name));
        else list.removeAttribute(name);
      }
      lists.push(list);
      if (!list.parentNode) box.append(list);
      if (list.value === "") break;
      level = level.get(list.value).below;
    }
    while (box.children.length > lists.length) box.lastChild.remove();
  };

  const chosenPath = () => [...box.children].map((list) => list.value).filter(Boolean);
  box.addEventListener("change", (event) => {
    // Only a change of the posted list counts as a changed answer.
    event.stopPropagation();
    const changed = [...box.children].indexOf(event.target);
    const path = chosenPath().slice(0, changed + 1);
    draw(path);
    post(path);
  });
  // The value was changed from outside: restored answers, or the browser's history.
  const sync = () => {
    const path = select.value.split("/");
    if (path.join("/") !== chosenPath().join("/")) draw(path);
  };
  select.addEventListener("change", sync);
  addEventListener("pageshow", sync);
  draw(select.value.split("/"));
};

document.querySelectorAll("select.cascade").forEach(enhance);
