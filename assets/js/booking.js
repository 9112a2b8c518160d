// Bookings: days in a calendar, and the time slots of the chosen day with the places left. The plain inputs keep the
// answer. The server decides what can be booked.
import { makeDays } from "./days.js";
import { keptOf, renumber, makeAddButton, steppers } from "./lines.js";
import { makePicker, wordsOf } from "./picker.js";

const itemOf = (line) => line.querySelector(
  'input[type="hidden"][name$=".api_code"], input[name$=".api_code"]:checked, select[name$=".api_code"]',
)?.value ?? "";

const isFilled = (line) => {
  const hasTime = line.querySelector("[data-day]").value !== "" || line.querySelector("[data-slots] select")?.value;
  const chosen = line.querySelector('input[type="hidden"][name$=".api_code"]') ? "" : itemOf(line);
  return Boolean(hasTime || chosen);
};

const option = (value, text) => {
  const element = document.createElement("option");
  element.value = value;
  element.textContent = text;
  return element;
};

// One list of all days or slots becomes a day, and a list of slots.
const splitList = (line, code, plan) => {
  const cell = line.querySelector("[data-listed]");
  if (!cell) return;
  const list = cell.querySelector("select");
  const [day, slot] = (list.dataset.kept ?? list.value).split("/");
  const input = document.createElement("input");
  input.type = "date";
  for (const name of ["id", "name", "aria-invalid", "aria-describedby"]) {
    if (list.hasAttribute(name)) input.setAttribute(name, list.getAttribute(name));
  }
  input.dataset.day = "";
  input.value = day;
  list.replaceWith(input);
  delete cell.dataset.listed;
  if (plan.slots.length === 0) return;
  const box = document.createElement("div");
  box.className = cell.className;
  box.dataset.when = "";
  box.dataset.slots = "";
  const select = document.createElement("select");
  select.name = input.name.replace(/scheduled_at$/, "time_range_code");
  select.id = select.name;
  select.append(option("", ""), ...plan.slots.map((one) => option(one.value, one.text)));
  if (slot) select.value = `${code}/${slot}`;
  box.append(select);
  cell.after(box);
};

const setUp = (bookings) => {
  const plans = JSON.parse(bookings.dataset.items);
  const words = JSON.parse(bookings.dataset.words);
  const own = JSON.parse(bookings.dataset.own ?? "{}");
  const waits = bookings.dataset.waits !== undefined;
  const field = bookings.closest("[data-field]");
  const items = Object.fromEntries(Object.entries(plans).map(([code, plan]) =>
    [code, makeDays(field.dataset.field, code, plan, own)]));
  const [only] = Object.keys(plans);
  const pickers = new Map();

  const slotsOf = (line) => line.querySelector("[data-slots] select");
  const split = (line) => splitList(line, only, plans[only]);
  const lines = () => [...bookings.querySelectorAll("[data-line]")];
  split(lines()[0]);
  // All slots of all items, as rendered by the server.
  const allSlots = [...slotsOf(bookings)?.childNodes ?? []].map((node) => node.cloneNode(true));

  const tell = (line, text) => {
    const message = line.querySelector("[data-says]");
    if (message.textContent !== text) message.textContent = text;
  };

  const show = (line) => {
    const item = items[itemOf(line)];
    const input = line.querySelector("[data-day]");
    const day = input.value;
    const box = line.querySelector("[data-slots]");
    const why = item && day ? item.of(day).why : "";
    const isBookable = why === "" || (why === "full" && waits);
    if (item) {
      // Browsers clear a half-typed day when its bounds are set, even to the same values.
      for (const [bound, at] of [["min", item.plan.first ?? ""], ["max", item.plan.last ?? ""]]) {
        if (input[bound] !== at) input[bound] = at;
      }
    }
    if (box) {
      const select = box.querySelector("select");
      const old = select.value;
      const slots = item && day ? item.of(day).slots : [];
      select.replaceChildren(option("", bookings.dataset.time), ...slots.map((slot) => option(slot.value, slot.text)));
      const kept = slots.find((slot) => slot.value === old);
      if (kept) select.value = old;
      else if (slots.length === 1 && isBookable) select.value = slots[0].value;
      select.disabled = slots.length === 0;
      box.hidden = Boolean(item) && item.plan.slots.length === 0;
    }
    const message = why === "full" ? words.isFull : words.notBookable;
    tell(line, isBookable ? "" : message.replace("{day}", wordsOf(day)));
    pickers.get(line)?.draw();
  };

  const changed = (line) => {
    line.querySelector("[data-day]").dispatchEvent(new Event("input", { bubbles: true }));
    line.querySelector("[data-day]").dispatchEvent(new Event("change", { bubbles: true }));
  };

  const addPicker = (line) => {
    const input = line.querySelector("[data-day]");
    const picker = makePicker({
      words,
      waits,
      get: () => ({ day: input.value, slot: slotsOf(line)?.value ?? "" }),
      set: (day, slot) => {
        input.value = day;
        const select = slotsOf(line);
        if (select) {
          // `show` leaves the slots of that day.
          if (![...select.options].some(({ value }) => value === slot)) select.append(option(slot, slot));
          select.value = slot;
        }
        changed(line);
      },
      days: () => items[itemOf(line)],
      say: (text) => tell(line, text),
    });
    pickers.set(line, picker);
    picker.mirror(input);
    line.querySelector(".booking-when").prepend(picker.box);
    line.dataset.picked = "";
  };

  const prepare = (line) => {
    const { less, more, remove } = bookings.dataset;
    split(line);
    steppers(line, { less, more });
    if (line !== bookings.querySelector("[data-line]")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button quiet small";
      button.textContent = remove;
      button.addEventListener("click", () => {
        line.remove();
        pickers.delete(line);
        renumber(bookings, isFilled);
        const last = lines().at(-1);
        last.querySelector(".picker-day[tabindex='0'], select[name$='.api_code']")?.focus();
        changed(last);
      });
      line.append(button);
    }
    addPicker(line);
    show(line);
    pickers.get(line).renew();
  };

  bookings.querySelectorAll("[data-bookings] > [data-line]").forEach(prepare);
  const details = bookings.querySelector("[data-more]");
  const add = details && makeAddButton(details, (line) => {
    prepare(line);
    renumber(bookings, isFilled);
  });
  // Answers are restored by name: there must be a line for each, with all its slots.
  field.addEventListener("grow", (event) => {
    const wanted = keptOf(event.detail, "scheduled_at").size;
    while (add && lines().length < wanted) add();
    for (const line of lines()) {
      slotsOf(line)?.replaceChildren(...allSlots.map((node) => node.cloneNode(true)));
    }
    setTimeout(() => {
      for (const input of bookings.querySelectorAll('input[type="hidden"][name$=".api_code"]')) input.value = only;
      for (const line of lines()) {
        show(line);
        pickers.get(line).renew();
      }
      renumber(bookings, isFilled);
    });
  });
  bookings.addEventListener("change", (event) => {
    const line = event.target.closest("[data-line]");
    if (line) show(line);
    if (line && event.target.name?.endsWith(".api_code")) pickers.get(line).renew();
    renumber(bookings, isFilled);
  });
  // Somebody else may have been quicker, or the page keeps something else now.
  bookings.closest("form").addEventListener("checked", ({ detail: { faults, hold } }) => {
    const code = field.dataset.field;
    const kept = hold === undefined ? { ...own } : hold?.own[code] ?? {};
    const isKept = JSON.stringify(kept) === JSON.stringify(own);
    if (isKept && !faults.some((fault) => fault.field === code)) return;
    for (const counter of Object.keys(own)) delete own[counter];
    Object.assign(own, kept);
    for (const item of Object.values(items)) item.forget();
    for (const picker of pickers.values()) picker.renew();
  });
  renumber(bookings, isFilled);
};

for (const bookings of document.querySelectorAll("[data-bookings]")) {
  try {
    setUp(bookings);
  } catch (fault) {
    // The plain inputs work without it.
    console.error(fault);
  }
}
