// Tells the server that somebody was at the page: a key, a touch, the browser that filled something in.
// Who sends without any of these waits until nobody could say that it was too quick for a person.
import { form } from "./ask.js";

// The server asks again what comes within two seconds.
const PATIENCE = 2050;

const sign = form?.elements._sign;

if (sign) {
  const seen = new AbortController();
  for (const kind of ["keydown", "pointerdown", "click", "input", "change"]) {
    addEventListener(kind, (event) => {
      // What scripts make is none.
      if (!event.isTrusted) return;
      sign.value = kind;
      seen.abort();
    }, { capture: true, signal: seen.signal });
  }
}

// How long to wait. The server's stamp is older than its answer, which came after the page was asked for.
export const patience = () => {
  if (!sign || sign.value) return 0;
  const [loaded] = performance.getEntriesByType("navigation");
  return Math.max(0, PATIENCE - (performance.now() - (loaded?.responseStart ?? 0)));
};
