// Parses numbers as the server does: digits of any script, comma or point before the fraction. Where a separator could
// also separate groups, as in `1,234`, the form's locale decides: `group`.

const DIGIT = /\p{Nd}/u;

// Digits come in runs from zero to nine.
const digit = (mark) => {
  let first = mark.codePointAt(0);
  const own = first;
  while (DIGIT.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((own - first) % 10);
};

const SEPARATORS = { "，": ",", "،": ",", "．": ".", "。": ".", "’": "'", "＇": "'", "٬": "'" };

const plain = (text) =>
  text.replaceAll(/[\u200e\u200f\u061c]/g, "").trim()
    .replace(/^[−－–‐]/, "-").replace(/^＋/, "+").replace(/^([+-])\s+/, "$1")
    .replaceAll(/\p{Nd}/gu, digit).replaceAll(/\s/g, " ").replaceAll(/[，،．。’＇٬]/g, (mark) => SEPARATORS[mark]);

const GROUPS = /^[1-9]\d{0,2}(?:([,. '])\d{3})(?:\1\d{3})*$|^[1-9]\d?(?:([,. '])\d{2})+\2\d{3}$/;

const whole = (text) => {
  if (/^\d*$/.test(text)) return text;
  return GROUPS.test(text) ? text.replaceAll(/[,. ']/g, "") : undefined;
};

// The number in a text; undefined if it is not a number.
export const readNumber = (text, group = "") => {
  const [, sign, body, exponent = ""] = /^([+-]?)(.*?)(e[+-]?\d{1,4})?$/i.exec(plain(text)) ?? [];
  if (!body) return undefined;
  const last = Math.max(body.lastIndexOf(","), body.lastIndexOf("."), body.lastIndexOf("٫"));
  let parts = [body, ""];
  if (last >= 0) {
    const mark = body[last];
    const others = [...body].some((other) => other !== mark && /\D/.test(other));
    const twice = body.indexOf(mark) !== last;
    if (others && twice) return undefined;
    if (mark === "٫" || others || (!twice && !(mark === group && GROUPS.test(body)))) {
      parts = [body.slice(0, last), body.slice(last + 1)];
    }
  }
  const head = whole(parts[0]);
  if (head === undefined || !/^\d*$/.test(parts[1]) || head + parts[1] === "") return undefined;
  const read = Number(`${sign}${head || "0"}.${parts[1] || "0"}${exponent}`);
  return Number.isFinite(read) ? read : undefined;
};
