// Sends an exam when its time is up, with all that was typed. The server decides what is late.
import { form } from "./ask.js";
import { remaining } from "./countdown.js";

const box = document.querySelector(".exam-time");
const timer = box?.querySelector(".countdown");
const bar = box?.querySelector("progress");
const DELAY = 1000;

const submit = () => {
  const button = document.createElement("button");
  button.name = "_action";
  button.value = "submit";
  button.hidden = true;
  form.append(button);
  form.requestSubmit(button);
  button.remove();
};

const isSent = () => form.hidden || "sending" in form.dataset;

const check = () => {
  const wait = remaining(timer.dataset);
  if (wait > 0) {
    bar.value = wait / 1000;
    setTimeout(check, Math.min(wait, DELAY));
    return;
  }
  box.classList.add("over");
  for (const other of [...box.children]) if (other !== timer) other.remove();
  timer.role = "status";
  timer.textContent = box.dataset.over;
  if (!isSent()) submit();
  // Without a network it goes as soon as there is one.
  addEventListener("online", () => { if (!isSent()) submit(); });
};

if (form && timer) check();
