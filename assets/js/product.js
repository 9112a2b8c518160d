// Orders: buttons next to quantities, as many variants as needed, and the total so far. The server computes the price
// that counts.
import { setIndices, keptOf, renumber, makeAddButton, steppers } from "./lines.js";
import { readNumber } from "./number.js";

// Prices in units of the smallest fraction, so that sums are exact.
const DECIMALS = 4;

const toUnits = (price) => {
  const [whole, rest = ""] = price.split(".");
  return BigInt(whole + rest.padEnd(DECIMALS, "0").slice(0, DECIMALS));
};

const numberOf = (line) => {
  const { group } = line.closest("[data-group]").dataset;
  const number = readNumber(line.querySelector('[name$=".number"]').value, group);
  return Number.isInteger(number) && number >= 0 && number < 1e7 ? number : 0;
};

const isFilled = (line) => {
  const typed = line.querySelector('[name$=".number"]').value;
  return typed.trim() !== "" && readNumber(typed) !== 0;
};

const priceOf = (good, line) => {
  const chosen = Object.fromEntries(
    [...line.querySelectorAll("[data-dimension]")].map((select) => [select.dataset.dimension, select.value]),
  );
  const own = JSON.parse(good.dataset.skus ?? "[]").find(({ specification }) =>
    Object.entries(specification).every(([dimension, option]) => chosen[dimension] === option));
  return toUnits(own?.price ?? good.dataset.price);
};

// Options that are sold out with the others chosen can't be chosen; the rest of the stock stands in the list above.
const shutSoldOut = (good) => {
  const shut = JSON.parse(good.dataset.limits ?? "[]").filter((variant) => variant.shut);
  if (shut.length === 0) return;
  for (const line of good.querySelectorAll("[data-line]")) {
    const selects = [...line.querySelectorAll("[data-dimension]")];
    for (const select of selects) {
      const others = selects.filter((one) => one !== select);
      const isShut = (option) => shut.some(({ specification }) => specification[select.dataset.dimension] === option.value &&
        others.every((one) => specification[one.dataset.dimension] === one.value));
      for (const option of select.options) option.disabled = !option.selected && isShut(option);
    }
  }
};

const setUp = (goods) => {
  const totalLine = goods.querySelector("[data-total]");
  const format = new Intl.NumberFormat(goods.dataset.locale, {
    minimumFractionDigits: Number(goods.dataset.decimals),
    maximumFractionDigits: Number(goods.dataset.mostDecimals),
  });
  const show = () => {
    let sum = 0n;
    for (const good of goods.querySelectorAll(".good")) {
      shutSoldOut(good);
      for (const line of good.querySelectorAll("[data-line]")) {
        sum += priceOf(good, line) * BigInt(numberOf(line));
      }
    }
    const digits = String(sum).padStart(DECIMALS + 1, "0");
    const amount = format.format(`${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`);
    const text = sum > 0n ? totalLine.dataset.total.replace("{amount}", amount) : "";
    if (totalLine.textContent.trim() !== text) totalLine.textContent = text;
    // For the price of the whole order.
    goods.dataset.sum = sum;
    goods.dispatchEvent(new CustomEvent("summed", { bubbles: true }));
  };
  const adders = new Map();
  for (const good of goods.querySelectorAll(".good")) {
    const { less, more } = goods.dataset;
    const title = good.querySelector(".good-name");
    const prepare = (line) => steppers(line, { less, more, title });
    good.querySelectorAll(".good > [data-line]").forEach(prepare);
    const details = good.querySelector("[data-more]");
    if (details) {
      adders.set(good, makeAddButton(details, (line) => {
        prepare(line);
        renumber(goods, isFilled);
      }));
    }
  }
  goods.addEventListener("input", show);
  // Before the page checks the answers.
  goods.addEventListener("change", () => {
    renumber(goods, isFilled);
    show();
  });
  // Answers are restored by name: every line must have its former index.
  const restoreCodes = () => {
    for (const good of goods.querySelectorAll(".good")) {
      for (const input of good.querySelectorAll('[name$=".api_code"]')) input.value = good.dataset.code;
    }
  };
  goods.closest(".field").addEventListener("grow", (event) => {
    const kept = [...keptOf(event.detail, "api_code")];
    const indices = new Map();
    let next = 1 + Math.max(-1, ...kept.map(([at]) => at));
    for (const good of goods.querySelectorAll(".good")) {
      const wanted = kept.filter(([, code]) => code === good.dataset.code).map(([at]) => at);
      const lines = () => [...good.querySelectorAll("[data-line]")];
      while (lines().length < wanted.length && adders.has(good)) adders.get(good)();
      lines().forEach((line, n) => indices.set(line, wanted[n] ?? next++));
    }
    setIndices(indices);
    setTimeout(() => {
      restoreCodes();
      renumber(goods, isFilled);
      show();
    });
  });
  restoreCodes();
  renumber(goods, isFilled);
  show();
};

for (const goods of document.querySelectorAll("[data-goods]")) {
  try {
    setUp(goods);
  } catch (fault) {
    // The plain inputs work without it.
    console.error(fault);
  }
}
