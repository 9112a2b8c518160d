// The conditions of a list: another question brings its operators and values with it, and an operator has inputs for as
// many values as it takes. Without this script the server does it once the form is sent.

const box = document.querySelector("[data-conditions]");
const blank = box?.querySelector("template").content.firstElementChild;

// After the last of several letters that choose a question by its words.
const ADD_AFTER = 600;

// How many texts an operator takes, and how many values of several parts.
const MOST = { none: 0, one: 1, two: 2, object: 0, objects: 0 };
const MOST_OBJECTS = { object: 1, objects: Infinity };

const control = (row, part) => row.querySelector(`[name$=".${part}"]`);
const inputs = (row) => [...row.querySelectorAll(".condition-value")];
const objects = (row) => [...row.querySelectorAll(".condition-parts")];

// An empty value after these.
const addTo = (all) => {
  const more = all.at(-1).cloneNode(true);
  for (const input of more.matches("input") ? [more] : more.querySelectorAll("input")) {
    input.value = "";
    input.name = input.name.replace(/(?<=\.value)\[\d+\]/u, `[${all.length}]`);
  }
  more.setAttribute("aria-label", `${all[0].getAttribute("aria-label")} ${all.length + 1}`);
  all.at(-1).after(more);
};

// Where several values are taken, there is room for another one.
const grow = (row) => {
  const all = { many: inputs(row), objects: objects(row) }[row.dataset.takes] ?? [];
  const last = all.at(-1);
  if (last && [last, ...last.querySelectorAll("input")].some(({ value }) => value)) addTo(all);
};

// The stylesheet hides what the operator does not take.
const fit = (row) => {
  const { takes } = control(row, "operator").selectedOptions[0].dataset;
  row.dataset.takes = takes;
  if (takes === "two" && inputs(row).length === 1) addTo(inputs(row));
  grow(row);
  for (const [at, input] of inputs(row).entries()) input.disabled = at >= (MOST[takes] ?? Infinity);
  for (const [at, parts] of objects(row).entries()) {
    for (const part of parts.querySelectorAll("input")) part.disabled = at >= (MOST_OBJECTS[takes] ?? 0);
  }
  for (const tick of row.querySelectorAll(".condition-choices input")) tick.disabled = takes === "none";
};

const ask = async (field) => {
  const address = new URL(box.dataset.conditions, location);
  address.searchParams.set("field", field);
  try {
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    return answer.ok ? (await answer.json()).data : undefined;
  } catch {
    // Without a connection the server does it later.
    return undefined;
  }
};

const drawOperators = (row, operators) => {
  const select = control(row, "operator");
  const before = select.value;
  select.replaceChildren(...operators.map(({ value, label, takes }) => {
    const option = new Option(label, value, false, value === before);
    option.dataset.takes = takes;
    return option;
  }));
};

// A typed text stays where texts are typed as before.
const drawValues = (row, { input, choices, parts, lang }) => {
  const name = control(row, "operator").name.replace(/operator$/u, "value");
  const [first] = inputs(row);
  const kept = first?.type === input ? first.value : "";
  for (const old of [...inputs(row), ...objects(row), ...row.querySelectorAll(".condition-choices")]) old.remove();
  const drawn = [];
  if (input) {
    const typed = blank.querySelector(".condition-value").cloneNode();
    Object.assign(typed, { type: input, name, value: kept });
    drawn.push(typed);
  }
  if (choices.length > 0) {
    const list = blank.querySelector(".condition-choices").cloneNode(true);
    const choice = list.firstElementChild;
    list.replaceChildren(...choices.map(({ value, label }) => {
      const own = choice.cloneNode(true);
      Object.assign(own.querySelector("input"), { name, value });
      const words = own.querySelector("span");
      words.textContent = label;
      if (lang) words.lang = lang;
      return own;
    }));
    drawn.push(list);
  }
  if (parts.length > 0) {
    const [object] = objects(blank).map((first) => first.cloneNode(true));
    const part = object.firstElementChild;
    object.replaceChildren(...parts.map(({ name: partName, label }) => {
      const own = part.cloneNode(true);
      own.querySelector("span").textContent = label;
      own.querySelector("input").name = `${name}[0].${partName}`;
      return own;
    }));
    drawn.push(object);
  }
  control(row, "operator").after(...drawn);
};

const follow = async (row) => {
  const select = control(row, "field");
  const field = select.value;
  const found = await ask(field);
  // It may have been changed again.
  if (!found || select.value !== field) return;
  control(row, "was").value = field;
  row.querySelector("legend").textContent = found.label;
  row.querySelector(".fault")?.remove();
  drawOperators(row, found.operators);
  drawValues(row, found);
  fit(row);
};

const number = () => {
  for (const [at, row] of [...box.querySelectorAll(".condition")].entries()) {
    for (const named of row.querySelectorAll("[name]")) named.name = named.name.replace(/^(f\[\d+\]|new)/u, `f[${at}]`);
  }
};

// The question of the new row takes the focus, so that arrows that chose it go on choosing.
const add = async (select) => {
  if (!select.value) return;
  const row = blank.cloneNode(true);
  box.querySelector("template").before(row);
  number();
  control(row, "field").value = select.value;
  select.value = "";
  control(row, "field").focus();
  drawValues(row, { input: "text", choices: [], parts: [] });
  await follow(row);
};

if (box) {
  for (const row of box.querySelectorAll("fieldset.condition")) fit(row);
  const another = box.hasAttribute("data-adds") && document.getElementById("add");
  if (another) {
    let lastKey = -ADD_AFTER;
    let waiting;
    const addOnceChosen = () => {
      clearTimeout(waiting);
      if (performance.now() - lastKey < ADD_AFTER) waiting = setTimeout(add, ADD_AFTER, another);
      else add(another);
    };
    another.addEventListener("change", addOnceChosen);
    another.addEventListener("keydown", () => {
      lastKey = performance.now();
      addOnceChosen();
    });
    // The Tab key leads to the new row.
    another.addEventListener("blur", () => {
      clearTimeout(waiting);
      add(another);
    });
  }
  box.addEventListener("change", ({ target }) => {
    const row = target.closest(".condition");
    if (target.name.endsWith(".field")) follow(row);
    if (target.name.endsWith(".operator")) fit(row);
  });
  box.addEventListener("input", ({ target }) => grow(target.closest(".condition")));
  box.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-undo-add]");
    if (!button) return;
    button.closest(".condition").remove();
    number();
    another?.focus();
  });
}
