// An entry beside the table, in a frame, where the window has room for both.
import { enhanceDivider } from "./divider.js";
import { refocus } from "./rows.js";

const ROOM = matchMedia("(min-width: 1100px)");
// After the last key of a row of them.
const SWAP_AFTER = 80;

const panel = document.getElementById("beside");
const frame = panel?.querySelector("iframe");
const whole = panel?.querySelector("a");
let waiting;
let isSaved = false;

export const isOpen = () => Boolean(panel) && !panel.hidden;

const links = () => [...document.querySelectorAll("table.data tbody th > a")];

// The address of the window has the entry, for the way back and for others.
const remember = (serial) => {
  const address = new URL(location);
  if (serial) address.searchParams.set("open", serial);
  else address.searchParams.delete("open");
  history.replaceState(history.state, "", address);
  for (const link of links()) link.closest("tr").toggleAttribute("data-open", link.textContent === serial);
};

const lead = (address, takesFocus) => {
  if (takesFocus) frame.addEventListener("load", () => frame.contentWindow.focus(), { once: true });
  frame.contentWindow.location.replace(address);
};

// Shows the page of a row's entry; false where there is no room for it. A second time it takes the focus.
export const show = (link, page = "") => {
  if (!panel || !link || !ROOM.matches) return false;
  clearTimeout(waiting);
  const isHere = isOpen() && link.closest("tr").hasAttribute("data-open") && !page;
  if (isHere) {
    frame.contentWindow.focus();
    return true;
  }
  const address = new URL(link.href);
  address.pathname += page;
  address.searchParams.set("frame", "1");
  panel.hidden = false;
  remember(link.textContent);
  lead(address, page !== "");
  return true;
};

// The same for a row that keys went over.
export const swap = (link) => {
  clearTimeout(waiting);
  waiting = setTimeout(() => show(link), SWAP_AFTER);
};

// A changed entry stands in the table as it was.
export const close = () => {
  const serial = new URL(location).searchParams.get("open");
  clearTimeout(waiting);
  panel.hidden = true;
  remember("");
  refocus(serial);
  if (isSaved) location.reload();
};

// Ctrl+K opens the page's own dialog: the one of the frame would be as narrow as that.
const forward = (event) => {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (!(ctrlKey || metaKey) || key.toLowerCase() !== "k") return;
  const copy = new KeyboardEvent("keydown", { key, ctrlKey, metaKey, altKey, shiftKey, cancelable: true });
  if (!dispatchEvent(copy)) event.preventDefault();
};

const closeByKey = (event) => {
  const page = frame.contentDocument;
  const isAbove = page.querySelector(":popover-open, dialog[open]") || page.getElementById("form");
  if (event.key === "Escape" && !event.defaultPrevented && !isAbove) close();
};

if (panel) {
  panel.querySelector("[data-close]").addEventListener("click", close);
  enhanceDivider(panel);
  frame.addEventListener("load", () => {
    const address = new URL(frame.contentWindow.location);
    const serial = /\/entries\/(\d+)/u.exec(address.pathname)?.[1];
    if (!serial) return;
    if (address.searchParams.has("saved")) isSaved = true;
    for (const name of ["frame", "saved"]) address.searchParams.delete(name);
    whole.href = address;
    if (isOpen()) remember(serial);
    frame.contentWindow.addEventListener("keydown", closeByKey);
    frame.contentWindow.addEventListener("keydown", forward);
  });
  const open = new URL(location).searchParams.get("open");
  const link = open && links().find((link) => link.textContent === open);
  panel.removeAttribute("data-opening");
  if (!link || !show(link)) panel.hidden = true;
}
