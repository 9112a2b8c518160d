// The page of a form's look: each colour as digits and as the browser's own choice, its contrast while it is chosen,
// pictures with their progress, and the frame's width and light. The controls save themselves by panel.js.
import { refresh } from "./preview_frame.js";
import { upload } from "./upload.js";

const ENOUGH = 4.5;
const IS_COLOUR = /^#[0-9a-f]{6}$/iu;

// Contrast (WCAG 2, 1.4.3), as the server computes it.

const luminance = (colour) => {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

export const contrast = (one, other) => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

const form = document.querySelector(".look-form");

// The colour that a line stands for.
const colourOf = (line) => {
  const typed = line.value.trim();
  if (IS_COLOUR.test(typed)) return typed;
  if (typed) return undefined;
  const other = line.dataset.fallsTo && document.getElementById(line.dataset.fallsTo);
  return other ? colourOf(other) : line.dataset.empty;
};

const showContrast = () => {
  for (const box of form.querySelectorAll("[data-contrast]")) {
    const [text, ground] = [box.dataset.contrast, box.dataset.on].map((id) => colourOf(document.getElementById(id)));
    if (!text || !ground) continue;
    const ratio = contrast(text, ground);
    const isFine = ratio >= ENOUGH;
    box.dataset.state = isFine ? "fine" : "weak";
    const words = box.dataset[isFine ? "fine" : "weak"].replace("{ratio}", ratio.toFixed(1));
    const said = box.querySelector("p");
    if (said.textContent !== words) said.textContent = words;
    box.querySelector("button").hidden = isFine;
  }
};

const showPicks = () => {
  for (const pick of form.querySelectorAll("[data-picks]")) {
    const colour = colourOf(document.getElementById(pick.dataset.picks));
    if (colour) pick.value = colour;
  }
};

const onPick = ({ target }) => {
  const line = document.getElementById(target.dataset.picks);
  line.value = target.value.toUpperCase();
  line.dispatchEvent(new Event("input", { bubbles: true }));
};

// Pictures.

const send = async (box) => {
  const file = box.querySelector("[type=file]");
  const [progress, fault] = [box.querySelector("progress"), box.querySelector(".fault")];
  if (!file.files.length) return;
  fault.hidden = true;
  progress.value = 0;
  progress.hidden = false;
  const made = await upload(file.form.action, new FormData(file.form), (share) => { progress.value = share; })
    .catch(() => ({ fault: box.dataset.failed }));
  progress.hidden = true;
  if (made.fault) {
    fault.textContent = made.fault;
    fault.hidden = false;
    box.classList.add("wrong");
    file.value = "";
  } else location.reload();
};

// The frame.

const scheme = { word: "light" };
// Rules that ask for the dark scheme.
const asked = new WeakSet();

// A page asks for the scheme in its stylesheets: the rules of the other one are turned on there.
const turn = (rules, isDark) => {
  for (const rule of rules) {
    if (rule.media) {
      if (rule.media.mediaText.includes("prefers-color-scheme: dark")) asked.add(rule);
      if (asked.has(rule)) rule.media.mediaText = isDark ? "all" : "not all";
    }
    if (rule.cssRules) turn(rule.cssRules, isDark);
  }
};

const paint = (frame) => {
  const page = frame?.contentDocument;
  // A frame that has not begun to load has no page.
  if (!page?.documentElement) return;
  const isDark = scheme.word === "dark";
  for (const sheet of page.styleSheets) turn(sheet.cssRules, isDark);
  page.documentElement.style.colorScheme = scheme.word;
};

const press = (button) => {
  for (const other of button.parentElement.children) other.ariaPressed = String(other === button);
  if (button.dataset.frame === "width") document.querySelector(".look-stage").dataset.width = button.value;
  else {
    scheme.word = button.value;
    paint(document.getElementById("preview"));
  }
};

const stage = document.querySelector(".look-stage");
if (stage) {
  for (const button of document.querySelectorAll("[data-frame]")) button.addEventListener("click", () => press(button));
  if (matchMedia("(prefers-color-scheme: dark)").matches) press(document.querySelector("[data-frame=scheme][value=dark]"));
  // Also of a frame that takes the place of another.
  stage.addEventListener("load", (event) => paint(event.target), { capture: true });
  paint(document.getElementById("preview"));
  const see = document.querySelector("[data-see]");
  see.ariaExpanded = "false";
  see.addEventListener("click", (event) => {
    event.preventDefault();
    const isOpen = see.ariaExpanded !== "true";
    see.ariaExpanded = String(isOpen);
    document.querySelector(".look").toggleAttribute("data-seen", isOpen);
    if (isOpen) document.getElementById("look-frame").scrollIntoView();
  });
}

if (form) {
  for (const pick of form.querySelectorAll("[data-picks]")) pick.addEventListener("input", onPick);
  form.addEventListener("input", () => {
    showContrast();
    showPicks();
    // It is a ready theme no longer.
    for (const ready of form.querySelectorAll(".ready-theme")) ready.ariaPressed = "false";
  });
  for (const box of form.querySelectorAll("[data-upload]")) {
    box.dataset.live = "";
    box.querySelector("[type=file]").addEventListener("change", () => send(box));
  }
  addEventListener("question-saved", ({ detail }) => {
    for (const [id, can] of [["undo", detail.can_undo], ["redo", detail.can_redo]]) {
      const button = document.getElementById(id);
      if (button) button.disabled = !can;
    }
    refresh();
  });
}
