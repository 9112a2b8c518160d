// Proof of work: a number with which the SHA-256 of a challenge and a search begins with so many zero bits. Not by the
// browser's own SHA-256, which pages without https lack, and which takes longer for texts as short as these.

// So many are tried before the page may draw.
const SLICE = 5000;

const primes = [];
for (let n = 2; primes.length < 64; n += 1) {
  if (primes.every((prime) => n % prime !== 0)) primes.push(n);
}
// The first 32 bits behind the point.
const fraction = (x) => Math.floor((x % 1) * 2 ** 32) | 0;
const START = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUNDS = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const words = new Int32Array(64);

const turn = (word, by) => (word >>> by) | (word << (32 - by));

// The first word of the hash.
const firstWord = (bytes) => {
  const length = (((bytes.length + 8) >> 6) << 6) + 64;
  const view = new DataView(new ArrayBuffer(length));
  new Uint8Array(view.buffer).set(bytes);
  view.setUint8(bytes.length, 0x80);
  view.setUint32(length - 4, bytes.length * 8);
  let state = START;
  for (let at = 0; at < length; at += 64) {
    for (let i = 0; i < 16; i += 1) words[i] = view.getInt32(at + i * 4);
    for (let i = 16; i < 64; i += 1) {
      const [x, y] = [words[i - 15], words[i - 2]];
      words[i] = words[i - 16] + words[i - 7]
        + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i += 1) {
      const t = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i];
      const u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = (d + t) | 0;
      d = c;
      c = b;
      b = a;
      a = (t + u) | 0;
    }
    state = [a, b, c, d, e, f, g, h].map((word, i) => (word + state[i]) | 0);
  }
  return state[0];
};

// The proof for a form with a challenge, as it is filled in.
export const prove = async (form) => {
  const { challenge, bits } = form.dataset;
  const filled = [...new FormData(form)].filter(([, value]) => value !== "");
  const search = filled.map(([name, value]) => `${name}=${value}`).sort().join("\n");
  const encoder = new TextEncoder();
  for (let number = 0; ; number += 1) {
    const proof = `${challenge}.${number}`;
    if (Math.clz32(firstWord(encoder.encode(`${proof}\n${search}`))) >= Number(bits)) return proof;
    if (number % SLICE === SLICE - 1) await new Promise((done) => { setTimeout(done); });
  }
};
