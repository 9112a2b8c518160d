// Asks the server, with the same post that a page without a script would make.
export const form = document.getElementById("form");

// There was no answer at all.
export class Offline extends Error {}

export const hasFiles = () => [...new FormData(form).values()].some((value) => typeof value !== "string" && value.size > 0);

const bodyOf = (withFiles) => {
  const own = new FormData(form);
  if (withFiles) return own;
  const body = new URLSearchParams();
  for (const [name, value] of own) {
    if (typeof value === "string") body.append(name, value);
    // A file comes with the form itself.
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
  // A page instead: the form was closed, or asks for a password by now.
  const found = isJson ? await answer.json() : {};
  if (!found.faults && !found.receipt) throw new Error(String(answer.status));
  if (found.faults) form.dispatchEvent(new CustomEvent("checked", { detail: found }));
  return found;
};

const isThere = (code) => document.querySelector(`.field[data-field="${CSS.escape(code)}"]`) !== null;

// Whether this page can show what was found. Where the form changed meanwhile, a fault may be of a question
// that is not in it, or of a choice that is gone: then the server draws the page anew.
export const canShow = (found) => {
  const isSame = String(found.version) === form.dataset.version;
  return !found.says_more && (found.faults.length === 0 || (isSame && found.faults.every(({ field }) => isThere(field))));
};
