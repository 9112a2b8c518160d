// The days of an item that can be booked: from the page's own plan at once, with the places left as soon as the server
// has said them.

const form = document.getElementById("form");
// Months in one answer, at most 92 days.
const MONTHS = 3;

export const toDate = (day) => new Date(`${day}T00:00:00Z`);
export const toDay = (date) => date.toISOString().slice(0, 10);
export const monthOf = (day) => day.slice(0, 7);
export const weekdayOf = (day) => ((toDate(day).getUTCDay() + 6) % 7) + 1;

export const plusDays = (day, count) => {
  const date = toDate(day);
  date.setUTCDate(date.getUTCDate() + count);
  return toDay(date);
};

// The same day of another month, or its last one.
export const plusMonths = (day, count) => {
  const date = toDate(`${monthOf(day)}-01`);
  date.setUTCMonth(date.getUTCMonth() + count + 1, 0);
  date.setUTCDate(Math.min(date.getUTCDate(), Number(day.slice(8))));
  return toDay(date);
};

// The address of the places left: for respondents, and for who edits an entry; a preview has none.
const address = () => {
  const { pathname } = new URL(form.action);
  const [, base, token] = /^(.*)\/f\/([^/]+)/.exec(pathname) ?? [];
  if (token) return `${base}/api/v1/f/${token}/availability`;
  const [, own] = /^(.*\/forms\/[^/]+)\/entries\//.exec(pathname) ?? [];
  return own && `${own}/bookings/days`;
};

const ask = async (field, item, from, to) => {
  const path = address();
  if (!path) return [];
  const query = new URLSearchParams({ field, item, from, to });
  const headers = { Accept: "application/json" };
  // The password of the form, as the page has it.
  const grant = form.elements._grant;
  if (grant) headers["X-Form-Grant"] = grant.value;
  const answer = await fetch(`${path}?${query}`, { headers });
  if (!answer.ok) throw new Error(String(answer.status));
  return (await answer.json()).data;
};

// The days of an item. `own` are places, by counter, that the edited entry has already.
export const makeDays = (field, code, plan, own) => {
  const found = new Map();
  const asked = new Map();

  const isPlanned = (day) => plan.days.includes(weekdayOf(day)) && !plan.closed.includes(day);
  const isInside = (day) => (!plan.first || day >= plan.first) && (!plan.last || day <= plan.last);
  const left = (remaining, counter) => (remaining ?? null) === null ? null : remaining + (own[counter] ?? 0);

  const slotsOf = (day) => {
    const known = found.get(day)?.slots;
    return plan.slots.filter((slot) => slot.weekday === weekdayOf(day)).map((slot) => {
      const slotCode = slot.value.slice(code.length + 1);
      const { remaining, has_begun: hasBegun } = known?.find((one) => one.code === slotCode) ?? {};
      const counter = `${code}/${day}/${slotCode}`;
      return { ...slot, hasBegun: hasBegun && !own[counter], left: left(remaining, counter) };
    }).filter((slot) => !slot.hasBegun);
  };

  return {
    plan,
    // Whether the plan alone lets it be booked, whatever is taken.
    isOpen: (day) => isInside(day) && isPlanned(day),
    // What can be booked of a day: `why` says why nothing can, `left` how many places there are, if that is limited.
    of: (day) => {
      if (!isInside(day)) return { why: "outside", slots: [] };
      if (!isPlanned(day)) return { why: "closed", slots: [] };
      const slots = slotsOf(day);
      // All of its slots have begun.
      if (plan.slots.length > 0 && slots.length === 0) return { why: "outside", slots };
      const places = plan.slots.length > 0 ? null : left(found.get(day)?.remaining, `${code}/${day}`);
      const isFull = places === 0 || (slots.length > 0 && slots.every((slot) => slot.left === 0));
      return { why: isFull ? "full" : "", left: places, slots };
    },
    isInside,
    // Loads the places left in a month, and in those after it; at most once.
    load: (month) => {
      if (!asked.has(month)) {
        const from = `${month}-01`;
        const to = plusDays(plusMonths(from, MONTHS), -1);
        const loading = ask(field, code, from, to).then((days) => {
          for (const day of days) found.set(day.date, day);
        });
        const months = Array.from({ length: MONTHS }, (_, at) => monthOf(plusMonths(from, at)));
        for (const one of months) asked.set(one, loading);
        loading.catch(() => { for (const one of months) asked.delete(one); });
      }
      return asked.get(month);
    },
    // What is left may have changed.
    forget: () => {
      asked.clear();
      found.clear();
    },
  };
};
