// The price of an order over all its questions, before and after the discount. The server computes the one that counts.
import "./product.js";

// Amounts are in units of the smallest fraction, as sums of goods are.
const DECIMALS = 4;
const PERCENT_DECIMALS = 6;
const HUNDRED = 100n * 10n ** BigInt(PERCENT_DECIMALS);

const scaled = (number, decimals) => {
  const [whole, rest = ""] = number.toFixed(decimals).split(".");
  return BigInt(whole + rest.padEnd(decimals, "0"));
};

// Half of a step is rounded up.
const divided = (number, by, step) => ((2n * number + by * step) / (2n * by * step)) * step;

// What is left of a sum, and the sum, in whole minor units of the currency.
export const prices = (sum, discounts, decimals) => {
  const step = 10n ** BigInt(DECIMALS - Math.min(decimals, DECIMALS));
  const total = divided(sum, 1n, step);
  let best;
  for (const discount of discounts) {
    const isReached = scaled(discount.min_total, DECIMALS) <= total;
    if (isReached && (!best || discount.min_total > best.min_total)) best = discount;
  }
  if (!best) return { total, after: total };
  const after = best.percent_off === undefined
    ? divided(total - scaled(best.amount_off, DECIMALS), 1n, step)
    : divided(total * (HUNDRED - scaled(best.percent_off, PERCENT_DECIMALS)), HUNDRED, step);
  return { total, after: after > 0n ? after : 0n };
};

// Only where it changes: what is set anew is a change to those who watch.
const hide = (element, isHidden) => {
  if (element.hidden !== isHidden) element.hidden = isHidden;
};

const setUp = (form, box) => {
  const discounts = JSON.parse(box.dataset.discounts);
  const decimals = Number(box.dataset.decimals);
  const format = new Intl.NumberFormat(box.dataset.locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: Number(box.dataset.mostDecimals),
  });
  const [before, discount, pay] = box.querySelectorAll("[data-words]");
  const say = (line, amount) => {
    const digits = String(amount).padStart(DECIMALS + 1, "0");
    const shown = format.format(`${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`);
    const text = line.dataset.words.replace("{amount}", shown);
    if (line.textContent.trim() !== text) line.textContent = text;
  };
  const show = () => {
    let sum = 0n;
    for (const goods of form.querySelectorAll("[data-goods]")) {
      // What rules hide is not ordered.
      if (!goods.closest(".field").hidden) sum += BigInt(goods.dataset.sum ?? 0);
    }
    const { total, after } = prices(sum, discounts, decimals);
    say(before, total);
    say(discount, total - after);
    say(pay, after);
    for (const line of [before, discount]) hide(line, after >= total);
    hide(box, total === 0n);
  };
  form.addEventListener("summed", show);
  new MutationObserver(show).observe(form, { subtree: true, attributeFilter: ["hidden"] });
  show();
};

const form = document.getElementById("form");
const box = document.getElementById("order-total");
if (form && box) setUp(form, box);
