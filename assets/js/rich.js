// Rich text: an editor over a textarea, which stays the form's control. The server gives the text as a tree, and makes
// of what is written here what it allows; no HTML is ever parsed in the page. What is pasted arrives as plain text.
import { isComposing } from "./focus.js";
import { build, htmlOf, show } from "./rich_tree.js";
import { upload } from "./upload.js";

const HEADINGS = ["h1", "h2", "h3", "h4"];

// An address without a scheme is one of the web, or of a person.
const address = (typed) => {
  if (/^(?:https?:|mailto:)/iu.test(typed)) return typed;
  return /^[^\s/@]+@[^\s/@]+$/u.test(typed) ? `mailto:${typed}` : `https://${typed.replace(/^\/+/u, "")}`;
};

const command = (name, value) => document.execCommand(name, false, value);

const enhance = (box) => {
  const text = box.querySelector("textarea");
  box.append(box.querySelector("template").content.cloneNode(true));
  const [bar, ask, area] = [".rich-bar", ".rich-ask", ".rich-area"].map((part) => box.querySelector(part));
  const [progress, fault, file] = [".rich-progress", ".rich-fault", "[type=file]"].map((part) => box.querySelector(part));
  const buttons = [...bar.querySelectorAll("[data-rich-act]")];
  const line = ask.querySelector("input");
  const state = { range: undefined, done: undefined };

  // What the form asks of the control is said of the editor.
  const label = document.querySelector(`label[for="${CSS.escape(text.id)}"]`);
  if (label) {
    label.id ||= `${text.id}-label`;
    area.setAttribute("aria-labelledby", label.id);
    label.addEventListener("click", () => area.focus());
  }
  for (const name of ["aria-describedby", "aria-invalid"]) {
    if (text.hasAttribute(name)) area.setAttribute(name, text.getAttribute(name));
  }
  area.id = text.id;
  text.removeAttribute("id");
  text.hidden = true;
  box.dataset.live = "";
  area.append(...JSON.parse(box.dataset.rich).map(build));

  const within = (...names) => {
    let node = getSelection().anchorNode;
    while (node && node !== area) {
      if (names.includes(node.localName)) return node;
      node = node.parentNode;
    }
    return undefined;
  };

  const store = () => {
    const html = htmlOf(area);
    if (html === text.value) return;
    text.value = html;
    text.dispatchEvent(new Event("input", { bubbles: true }));
  };

  const keepRange = () => {
    const selection = getSelection();
    if (selection.rangeCount && area.contains(selection.anchorNode)) state.range = selection.getRangeAt(0);
  };

  const restore = () => {
    area.focus();
    if (!state.range) return;
    getSelection().removeAllRanges();
    getSelection().addRange(state.range);
  };

  // One line below the toolbar asks for an address or for words.
  const askFor = (words, value, canClear, done) => {
    keepRange();
    state.done = done;
    line.setAttribute("aria-label", words);
    line.placeholder = words;
    line.value = value;
    ask.querySelector("[data-rich-clear]").hidden = !canClear;
    ask.hidden = false;
    line.focus();
  };

  const answer = (value) => {
    ask.hidden = true;
    restore();
    state.done?.(value);
    state.done = undefined;
    store();
  };

  const link = () => {
    const known = within("a");
    askFor(ask.dataset.link, known?.getAttribute("href") ?? "", Boolean(known), (typed) => {
      if (known) getSelection().selectAllChildren(known);
      if (!typed) command("unlink");
      else if (getSelection().isCollapsed) {
        const made = document.createElement("a");
        made.href = address(typed);
        made.textContent = typed;
        getSelection().getRangeAt(0).insertNode(made);
      } else command("createLink", address(typed));
    });
  };

  const describe = (image) => askFor(ask.dataset.alt, image.alt, false, (typed) => { image.alt = typed; });

  const place = async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    const body = new FormData();
    body.append("csrf", text.form.elements.csrf.value);
    body.append("image", chosen);
    file.value = "";
    fault.hidden = true;
    fault.classList.remove("fault");
    progress.hidden = false;
    const made = await upload(box.dataset.images, body, (share) => { progress.value = share; })
      .catch(() => ({ fault: box.dataset.failed }));
    progress.hidden = true;
    if (made.fault) {
      fault.textContent = made.fault;
      fault.classList.add("fault");
      fault.hidden = false;
      return;
    }
    const image = Object.assign(document.createElement("img"), { alt: "", width: made.width, height: made.height });
    show(image, made.image_url);
    restore();
    const range = getSelection().rangeCount && area.contains(getSelection().anchorNode) ? getSelection().getRangeAt(0) : undefined;
    if (range) range.insertNode(image);
    else area.append(image);
    store();
    describe(image);
  };

  const acts = {
    bold: () => command("bold"),
    italic: () => command("italic"),
    link,
    heading: () => command("formatBlock", within(...HEADINGS) ? "p" : "h3"),
    bullets: () => command("insertUnorderedList"),
    numbers: () => command("insertOrderedList"),
    quote: () => (within("blockquote") ? command("outdent") : command("formatBlock", "blockquote")),
    picture: () => { keepRange(); file.click(); },
  };

  const isOn = {
    bold: () => document.queryCommandState("bold"),
    italic: () => document.queryCommandState("italic"),
    link: () => Boolean(within("a")),
    heading: () => Boolean(within(...HEADINGS)),
    bullets: () => Boolean(within("ul")),
    numbers: () => Boolean(within("ol")),
    quote: () => Boolean(within("blockquote")),
  };

  const press = (act) => {
    if (document.activeElement !== area) restore();
    command("styleWithCSS", "false");
    command("defaultParagraphSeparator", "p");
    acts[act]();
    store();
    showState();
  };

  const showState = () => {
    if (!area.contains(getSelection().anchorNode)) return;
    for (const button of buttons) {
      const on = isOn[button.dataset.richAct];
      if (on) button.ariaPressed = String(on());
    }
  };

  // One stop for Tab; arrows go along.
  const stopAt = (at) => { for (const [place, button] of buttons.entries()) button.tabIndex = place === at ? 0 : -1; };
  stopAt(0);
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = (buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length;
    stopAt(at);
    buttons[at].focus();
  });
  // The selection stays where it is.
  bar.addEventListener("pointerdown", (event) => event.preventDefault());
  for (const button of buttons) button.addEventListener("click", () => press(button.dataset.richAct));
  ask.querySelector("[data-rich-set]").addEventListener("click", () => answer(line.value.trim()));
  ask.querySelector("[data-rich-clear]").addEventListener("click", () => answer(""));
  line.addEventListener("keydown", (event) => {
    if (isComposing(event) || !["Enter", "Escape"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Enter") answer(line.value.trim());
    else {
      ask.hidden = true;
      restore();
    }
  });
  file?.addEventListener("change", place);

  const keys = { b: "bold", i: "italic", k: "link" };
  area.addEventListener("keydown", (event) => {
    const act = keys[event.key.toLowerCase()];
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || !act) return;
    event.preventDefault();
    press(act);
  });
  area.addEventListener("focus", () => command("defaultParagraphSeparator", "p"));
  area.addEventListener("input", store);
  area.addEventListener("blur", () => text.dispatchEvent(new Event("change", { bubbles: true })));
  area.addEventListener("click", (event) => { if (event.target.localName === "img") describe(event.target); });
  for (const [type, from] of [["paste", "clipboardData"], ["drop", "dataTransfer"]]) {
    area.addEventListener(type, (event) => {
      event.preventDefault();
      const plain = event[from].getData("text/plain");
      if (plain) command("insertText", plain);
    });
  }
  document.addEventListener("selectionchange", showState);
};

for (const box of document.querySelectorAll("[data-rich]")) enhance(box);
