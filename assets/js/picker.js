// A month as a grid of days, and radio buttons for the slots of the chosen one. The arrow keys move by days and weeks,
// Home and End within the week, Page Up and Page Down by months, with Shift by years. The plain inputs hold the answer.
import { monthOf, plusDays, plusMonths, toDate, weekdayOf } from "./days.js";

const WEEK = 7;
const MOVES = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -WEEK, ArrowDown: WEEK };

// English without a country puts the day first, as the server does.
const language = { "": "en-001", en: "en-001" }[document.documentElement.lang] ?? document.documentElement.lang;
const format = (options) => new Intl.DateTimeFormat(language, { calendar: "gregory", timeZone: "UTC", ...options });
const monthFormat = format({ month: "long", year: "numeric" });
const dayFormat = format({ dateStyle: "full" });
const weekdayFormat = format({ weekday: "long" });
const shortFormat = format({ weekday: "short" });
const numberFormat = new Intl.NumberFormat(language, { useGrouping: false });

// 1 is Monday.
const firstOfWeek = (() => {
  const locale = new Intl.Locale(language);
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;
})();

export const wordsOf = (day) => dayFormat.format(toDate(day));

const startOfWeek = (day) => plusDays(day, -((weekdayOf(day) - firstOfWeek + WEEK) % WEEK));

let pickers = 0;

const make = (name, attributes = {}, text = "") => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.textContent = text;
  return element;
};

const makeHead = (weeks) => {
  const row = make("tr");
  for (let at = 0; at < WEEK; at += 1) {
    const date = toDate(plusDays(weeks, at));
    const cell = make("th", { scope: "col" });
    cell.append(make("span", { "aria-hidden": "true" }, shortFormat.format(date)));
    cell.append(make("span", { class: "visually-hidden" }, weekdayFormat.format(date)));
    row.append(cell);
  }
  const head = make("thead");
  head.append(row);
  return head;
};

// `get` gives the chosen day and slot, `set` takes them, `days` gives the days of the chosen item, and `say` shows a
// message.
export const makePicker = ({ words, waits, get, set, days, say }) => {
  const id = `picker-${pickers += 1}`;
  const box = make("div", { class: "picker", role: "group", "aria-labelledby": `${id}-month` });
  const bar = make("div", { class: "picker-bar" });
  const turnBack = make("button", { type: "button", class: "picker-turn", "aria-label": words.previous });
  const turnOn = make("button", { type: "button", class: "picker-turn", "aria-label": words.next });
  const title = make("p", { class: "picker-month", id: `${id}-month`, "aria-live": "polite" });
  const table = make("table", { role: "grid", "aria-labelledby": `${id}-month` });
  const body = make("tbody");
  const note = make("p", { class: "picker-note" });
  const failed = make("p", { class: "picker-note", role: "status" });
  const slots = make("fieldset", { class: "picker-slots" });
  const legend = make("legend", { class: "picker-legend" });
  const choices = make("div", { class: "choices short" });
  turnBack.append(make("span", { class: "picker-arrow", "aria-hidden": "true" }));
  turnOn.append(make("span", { class: "picker-arrow on", "aria-hidden": "true" }));
  bar.append(turnBack, title, turnOn);
  table.append(body);
  slots.append(legend, choices);
  box.append(bar, table, note, failed, slots);

  let month = "";
  // The day that Tab leads to.
  let active = "";
  // Until somebody turns to another month, the calendar shows the first one with room.
  let isTurned = false;

  const plan = () => days()?.plan;
  const isRtl = getComputedStyle(document.documentElement).direction === "rtl";
  const canTurn = (to) => {
    const { first, last } = plan() ?? {};
    return (!first || to >= monthOf(first)) && (!last || to <= monthOf(last));
  };
  const turned = (count) => monthOf(plusMonths(`${month}-01`, count));
  const isShut = (found) => found.why !== "" && !(waits && found.why === "full");

  const nameOf = (day, found) => {
    if (found.why === "full" && waits) return `${wordsOf(day)}, ${words.wait}`;
    if (found.why) return `${wordsOf(day)}, ${words[found.why]}`;
    return found.left === null ? wordsOf(day) : `${wordsOf(day)}, ${words.left.replace("{count}", numberFormat.format(found.left))}`;
  };

  const cell = (day, chosen) => {
    const td = make("td");
    if (monthOf(day) !== month) return td;
    const found = days().of(day);
    const button = make("button", {
      type: "button",
      class: `picker-day ${found.why}`,
      "data-date": day,
      tabindex: day === active ? "0" : "-1",
      "aria-pressed": String(day === chosen),
      "aria-disabled": isShut(found) && "true",
      "aria-label": nameOf(day, found),
      title: found.why ? words[found.why] : undefined,
    });
    button.append(make("span", {}, numberFormat.format(Number(day.slice(8)))));
    // Drawn by the stylesheet: the button's name says it in words.
    if (found.left > 0) button.dataset.left = numberFormat.format(found.left);
    td.append(button);
    return td;
  };

  const drawMonth = (chosen) => {
    const last = plusDays(plusMonths(`${month}-01`, 1), -1);
    const rows = [];
    for (let day = startOfWeek(shownFrom(month)); day <= last; day = plusDays(day, WEEK)) {
      const row = make("tr");
      for (let at = 0; at < WEEK; at += 1) row.append(cell(plusDays(day, at), chosen));
      rows.push(row);
    }
    body.replaceChildren(...rows);
    table.querySelector("thead")?.remove();
    body.before(makeHead(startOfWeek(`${month}-01`)));
    const words_ = monthFormat.format(toDate(`${month}-01`));
    if (title.textContent !== words_) title.textContent = words_;
    turnBack.setAttribute("aria-disabled", String(!canTurn(turned(-1))));
    turnOn.setAttribute("aria-disabled", String(!canTurn(turned(1))));
    const buttons = [...body.querySelectorAll("button")];
    const isEmpty = buttons.every((button) => button.getAttribute("aria-disabled") === "true");
    const hasNumbers = body.querySelector("[data-left]") !== null;
    note.textContent = isEmpty ? words.empty.replace("{month}", words_) : hasNumbers ? words.legend : "";
  };

  const drawSlots = (chosen, slot) => {
    const found = chosen ? days().of(chosen) : undefined;
    slots.hidden = !found || isShut(found) || found.slots.length === 0;
    if (slots.hidden) {
      choices.replaceChildren();
      return;
    }
    legend.textContent = words.times.replace("{day}", wordsOf(chosen));
    choices.replaceChildren(...found.slots.map((one, at) => {
      const label = make("label", { class: "choice", for: `${id}-slot-${at}` });
      const isFull = one.left === 0;
      // Of no form: the plain inputs are sent.
      const radio = make("input", { type: "radio", form: "", id: `${id}-slot-${at}`, name: id, value: one.value });
      radio.checked = one.value === slot;
      radio.disabled = isFull && !waits && !radio.checked;
      label.append(radio, make("span", { class: "choice-label" }, one.text));
      if (one.left !== null) {
        const text = isFull ? (waits ? words.wait : words.none) : words.left.replace("{count}", numberFormat.format(one.left));
        const voice = { 0: " full", 1: " last" }[one.left] ?? "";
        label.append(make("span", { class: `left${voice}` }, text));
      }
      return label;
    }));
  };

  const dayButton = (day) => body.querySelector(`button[data-date="${day}"]`);

  // Draws all of it; what has the focus keeps it.
  const draw = () => {
    const own = days();
    box.hidden = !own;
    if (!own) return;
    const { day, slot } = get();
    const focused = box.contains(document.activeElement) ? document.activeElement : undefined;
    if (!month || !canTurn(month)) month = monthOf(day || firstOpen());
    if (monthOf(active) !== month) active = monthOf(day) === month ? day : firstIn(month);
    drawMonth(day);
    drawSlots(day, slot);
    if (focused?.dataset.date) dayButton(active)?.focus();
    else if (focused?.name === id) choices.querySelector(`input[value="${CSS.escape(focused.value)}"]`)?.focus();
  };

  const today = () => new Date().toISOString().slice(0, 10);

  // The first day from there on that passes, within a year.
  const firstDay = (from, passes) => {
    for (let day = from, left = 366; left > 0; day = plusDays(day, 1), left -= 1) {
      if (passes(day)) return day;
    }
    return undefined;
  };

  // As far as the places left are known.
  const firstOpen = () => {
    const start = plan().first ?? today();
    return firstDay(start, (day) => !isShut(days().of(day))) ?? start;
  };

  // Weeks before the first day of the plan are left out: there is no way back from them.
  const shownFrom = (wanted) => {
    const { first } = plan();
    if (!first || monthOf(first) !== wanted) return `${wanted}-01`;
    const open = firstDay(first, (day) => days().isOpen(day));
    return open && monthOf(open) === wanted ? open : first;
  };

  // The first day of a month that can be booked, else its first one.
  const firstIn = (wanted) => {
    const from = shownFrom(wanted);
    const open = firstDay(from, (day) => !isShut(days().of(day)));
    return open && monthOf(open) === wanted ? open : from;
  };

  // Pages come in one go: the places left are asked for once the calendar is in sight.
  let isSeen = false;

  const load = async () => {
    const own = days();
    if (!own || !isSeen) return;
    table.setAttribute("aria-busy", "true");
    try {
      await own.load(month);
      failed.textContent = "";
    } catch {
      // The next turn of the month asks again.
      failed.textContent = words.failed;
    } finally {
      table.removeAttribute("aria-busy");
    }
    if (own !== days()) return;
    const shown = month;
    if (!isTurned && !get().day) month = monthOf(firstOpen());
    draw();
    if (month !== shown) load();
  };

  const turnTo = (wanted) => {
    if (!canTurn(wanted)) return;
    isTurned = true;
    month = wanted;
    draw();
    load();
  };
  turnBack.addEventListener("click", () => turnTo(turned(-1)));
  turnOn.addEventListener("click", () => turnTo(turned(1)));

  const focusDay = (wanted) => {
    const { first, last } = plan();
    let day = wanted;
    if (first && day < first) day = first;
    if (last && day > last) day = last;
    if (day < shownFrom(monthOf(day))) day = shownFrom(monthOf(day));
    isTurned = true;
    active = day;
    if (monthOf(day) !== month) {
      month = monthOf(day);
      load();
    }
    draw();
    dayButton(day)?.focus();
  };

  body.addEventListener("keydown", (event) => {
    const day = event.target.closest("button")?.dataset.date;
    if (!day || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    let to;
    if (key in MOVES) to = plusDays(day, MOVES[key] * (isRtl && Math.abs(MOVES[key]) === 1 ? -1 : 1));
    else if (key === "Home") to = startOfWeek(day);
    else if (key === "End") to = plusDays(startOfWeek(day), WEEK - 1);
    else if (key === "PageUp") to = plusMonths(day, event.shiftKey ? -12 : -1);
    else if (key === "PageDown") to = plusMonths(day, event.shiftKey ? 12 : 1);
    else return;
    event.preventDefault();
    focusDay(to);
  });

  body.addEventListener("click", (event) => {
    const day = event.target.closest("button")?.dataset.date;
    if (!day) return;
    active = day;
    const found = days().of(day);
    if (isShut(found)) {
      say((found.why === "full" ? words.isFull : words.notBookable).replace("{day}", wordsOf(day)));
      draw();
      dayButton(day)?.focus();
      return;
    }
    say("");
    // The same slot as before, if there is one, or the only one.
    const before = get().slot;
    const free = found.slots.filter((slot) => slot.left !== 0 || waits);
    const slot = free.find((one) => one.value === before) ?? (found.slots.length === 1 ? free[0] : undefined);
    set(day, slot?.value ?? "");
  });

  choices.addEventListener("change", (event) => {
    event.stopPropagation();
    set(get().day, event.target.value);
  });

  // Faults are told at the plain inputs.
  const mirror = (input) => {
    const show = () => {
      const value = input.getAttribute("aria-describedby");
      if (value) table.setAttribute("aria-describedby", value);
      else table.removeAttribute("aria-describedby");
      table.classList.toggle("wrong", input.hasAttribute("aria-invalid"));
    };
    new MutationObserver(show).observe(input, { attributeFilter: ["aria-describedby", "aria-invalid"] });
    show();
  };

  const sight = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    isSeen = true;
    sight.disconnect();
    load();
  });
  sight.observe(box);

  return {
    box,
    mirror,
    draw,
    // The item, or what is left, has changed.
    renew: () => {
      const { day } = get();
      if (day) month = monthOf(day);
      draw();
      load();
    },
  };
};
