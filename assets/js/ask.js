// Asks the server, with the same post as a page without scripts.
import { boxOf } from "./field.js";

export const form = document.getElementById("form");

// The server could not be reached.
export class Offline extends Error {}

export const hasFiles = () => [...new FormData(form).values()].some((value) => typeof value !== "string" && value.size > 0);

const bodyOf = (withFiles) => {
  const own = new FormData(form);
  if (withFiles) return own;
  const body = new URLSearchParams();
  for (const [name, value] of own) {
    if (typeof value === "string") body.append(name, value);
    // The file itself is posted with the form.
    else if (value.size > 0) body.append("_file", name);
  }
  return body;
};

export const ask = async (action, withFiles = false) => {
  const body = bodyOf(withFiles);
  body.set("_action", action);
  const headers = { Accept: "application/json" };
  const answer = await fetch(form.action, { method: "POST", body, headers }).catch(() => { throw new Offline(); });
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  // A page instead of JSON: the form was closed, or now asks for a password.
  const found = isJson ? await answer.json() : {};
  if (!found.faults && !found.receipt) throw new Error(String(answer.status));
  if (found.faults) form.dispatchEvent(new CustomEvent("checked", { detail: found }));
  return found;
};

// Whether this page can show the result. If the form has changed, a fault may be about a question or a choice that this
// page lacks: then the server renders the page again.
export const canShow = (found) => {
  const isSame = String(found.version) === form.dataset.version;
  return !found.says_more && (found.faults.length === 0 || (isSame && found.faults.every(({ field }) => boxOf(field) !== null)));
};
