// Asks before each post whether the session still lasts: a post without one leads to sign-in, and what was typed is lost.

const box = document.getElementById("session");
const dialog = box?.querySelector("dialog");
// The form that waits for a sign-in, and the button that sends it.
let waiting;

const token = async () => {
  const answer = await fetch(box.dataset.csrf, { headers: { Accept: "application/json" } });
  if (answer.status === 401) return undefined;
  return (await answer.json()).data.csrf;
};

const send = (form, button, csrf) => {
  // Another session has another token.
  for (const input of document.querySelectorAll("input[name=csrf]")) input.value = csrf;
  form.dataset.session = "asked";
  form.requestSubmit(button);
  delete form.dataset.session;
};

const ask = async (form, button) => {
  let csrf;
  try {
    csrf = await token();
  } catch {
    // Without a connection the browser says so itself.
    csrf = form.elements.csrf.value;
  }
  if (csrf) {
    waiting = undefined;
    dialog.close();
    send(form, button, csrf);
  } else {
    waiting = { form, button };
    if (!dialog.open) dialog.showModal();
  }
};

// One question at a time: its answer sends the form once.
let isAsking = false;

const askAgain = async () => {
  if (!waiting || isAsking || document.visibilityState !== "visible") return;
  isAsking = true;
  await ask(waiting.form, waiting.button);
  isAsking = false;
};

if (dialog) {
  // Before all others, for whom the form is sent when the answer is there.
  addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || !form.elements.csrf || form.dataset.session) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    ask(form, event.submitter);
  }, { capture: true });
  dialog.addEventListener("close", () => { waiting = undefined; });
  // Back from the tab of the sign-in, or from its window: a tab tells both.
  for (const back of ["visibilitychange", "focus"]) addEventListener(back, askAgain);
}
