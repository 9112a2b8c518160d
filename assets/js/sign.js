// Tells the server about signs of a person: a key, a touch, autofill. Without any, sending waits until the server no
// longer takes it for a bot.
import { form } from "./ask.js";

// The server challenges submissions within two seconds.
const MIN_TIME = 2050;

const sign = form?.elements._sign;

if (sign) {
  const listening = new AbortController();
  for (const kind of ["keydown", "pointerdown", "click", "input", "change"]) {
    addEventListener(kind, (event) => {
      // Events made by scripts don't count.
      if (!event.isTrusted) return;
      sign.value = kind;
      listening.abort();
    }, { capture: true, signal: listening.signal });
  }
}

// How long to wait. The server's timestamp is older than its response.
export const waitTime = () => {
  if (!sign || sign.value) return 0;
  const [loaded] = performance.getEntriesByType("navigation");
  return Math.max(0, MIN_TIME - (performance.now() - (loaded?.responseStart ?? 0)));
};
