// Bookings: only the time slots of the chosen day, and an immediate message if there are none. The server decides what
// can be booked.
import { keptOf, renumber, makeAddButton, steppers } from "./lines.js";

const itemOf = (line) => line.querySelector(
  'input[type="hidden"][name$=".api_code"], input[name$=".api_code"]:checked, select[name$=".api_code"]',
)?.value ?? "";

const isFilled = (line) => {
  const hasTime = line.querySelector("[data-day]").value !== "" || line.querySelector("[data-slots] select")?.value;
  const chosen = line.querySelector('input[type="hidden"][name$=".api_code"]') ? "" : itemOf(line);
  return Boolean(hasTime || chosen);
};

const weekdayOf = (day) => ((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7) + 1;

const isOpen = (item, day) =>
  (!item.first || day >= item.first) && (!item.last || day <= item.last) &&
  item.days.includes(weekdayOf(day)) && !item.closed.includes(day);

const setUp = (bookings) => {
  const items = JSON.parse(bookings.dataset.items);
  const dateFormat = new Intl.DateTimeFormat(document.documentElement.lang || "en", { dateStyle: "full", timeZone: "UTC" });

  // All slots of all items, as rendered by the server.
  const slotsOf = (line) => line.querySelector("[data-slots] select");
  const allSlots = [...slotsOf(bookings)?.childNodes ?? []].map((node) => node.cloneNode(true));

  const option = (value, text) => {
    const element = document.createElement("option");
    element.value = value;
    element.textContent = text;
    return element;
  };

  const show = (line) => {
    const item = items[itemOf(line)];
    const input = line.querySelector("[data-day]");
    const day = input.value;
    const box = line.querySelector("[data-slots]");
    const isBookable = !item || !day || isOpen(item, day);
    if (item) {
      // Browsers clear a half-typed day when its bounds are set, even to the same values.
      for (const [bound, at] of [["min", item.first ?? ""], ["max", item.last ?? ""]]) {
        if (input[bound] !== at) input[bound] = at;
      }
    }
    if (box) {
      const select = box.querySelector("select");
      const old = select.value;
      const slots = item && day && isBookable ? item.slots.filter((slot) => slot.weekday === weekdayOf(day)) : [];
      select.replaceChildren(
        option("", bookings.dataset.time),
        ...slots.map((slot) => option(slot.value, slot.text)),
      );
      const kept = slots.find((slot) => slot.value === old);
      if (kept) select.value = old;
      else if (slots.length === 1) select.value = slots[0].value;
      select.disabled = slots.length === 0;
      box.hidden = Boolean(item) && item.slots.length === 0;
    }
    const message = line.querySelector("[data-says]");
    const text = isBookable ? "" : bookings.dataset.nothing.replace("{day}", dateFormat.format(new Date(`${day}T00:00:00Z`)));
    if (message.textContent !== text) message.textContent = text;
  };

  const prepare = (line) => {
    const { less, more, remove } = bookings.dataset;
    steppers(line, { less, more });
    if (line !== bookings.querySelector("[data-line]")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button quiet small";
      button.textContent = remove;
      button.addEventListener("click", () => {
        line.remove();
        renumber(bookings, isFilled);
        const last = [...bookings.querySelectorAll("[data-line]")].at(-1);
        last.querySelector("[data-day]").focus();
        last.dispatchEvent(new Event("change", { bubbles: true }));
      });
      line.append(button);
    }
    show(line);
  };

  bookings.querySelectorAll("[data-bookings] > [data-line]").forEach(prepare);
  const details = bookings.querySelector("[data-more]");
  const add = details && makeAddButton(details, (line) => {
    prepare(line);
    renumber(bookings, isFilled);
  });
  // Answers are restored by name: there must be a line for each, with all its slots.
  bookings.closest(".field").addEventListener("grow", (event) => {
    const lines = () => [...bookings.querySelectorAll("[data-line]")];
    const wanted = keptOf(event.detail, "scheduled_at").size;
    while (add && lines().length < wanted) add();
    for (const line of lines()) {
      slotsOf(line)?.replaceChildren(...allSlots.map((node) => node.cloneNode(true)));
    }
    setTimeout(() => {
      const [only] = Object.keys(items);
      for (const input of bookings.querySelectorAll('input[type="hidden"][name$=".api_code"]')) input.value = only;
      lines().forEach(show);
      renumber(bookings, isFilled);
    });
  });
  bookings.addEventListener("change", (event) => {
    const line = event.target.closest("[data-line]");
    if (line) show(line);
    renumber(bookings, isFilled);
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
