// Signatures: drawn with a finger, a pen or a mouse, or typed. Either becomes a picture in the field's file input,
// which is posted with the form.

const WIDTH = 900;
const HEIGHT = 400;
const LINE = 5;
const INK = "#111827";
// The server draws names with the same font; characters that it lacks use another.
const FONT_NAME = "Signature";
const FONT = `${FONT_NAME}, "Snell Roundhand", "Segoe Script", "Brush Script MT", "URW Chancery L", cursive`;

// Loaded when somebody types, not before.
let loading;
const loadFont = () => {
  loading ??= new FontFace(FONT_NAME, `url("${new URL("caveat.ttf", import.meta.url)}")`).load().then(
    (face) => { document.fonts.add(face); },
    () => { loading = undefined; },
  );
  return loading;
};

const button = (words) => {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button quiet small";
  made.textContent = words;
  return made;
};

const setUp = (box) => {
  const words = box.dataset;
  const input = box.querySelector('input[type="file"]');
  const typedPart = box.querySelector(".signature-typed");
  const typed = typedPart.querySelector("input");
  // A new signature replaces the one the page already has.
  const kept = [...box.querySelectorAll(".kept-files, .kept-hint")];
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  canvas.className = "signature-pad";
  canvas.setAttribute("role", "img");
  const pen = canvas.getContext("2d");
  const modes = document.createElement("div");
  modes.className = "signature-ways";
  modes.setAttribute("role", "group");
  modes.setAttribute("aria-label", words.way);
  const toDraw = button(words.draw);
  const toType = button(words.type);
  modes.append(toDraw, toType);
  const tools = document.createElement("div");
  tools.className = "signature-tools";
  const undo = button(words.undo);
  const clear = button(words.clear);
  tools.append(undo, clear);
  const status = document.createElement("p");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  box.querySelector(".signature-file").hidden = true;
  // The summary of faults links to the field's id, which is now the first button's.
  toDraw.id = input.id;
  input.removeAttribute("id");
  box.prepend(modes);
  box.append(canvas, tools, status);
  box.classList.add("ready");

  let isTyped = typed.value.trim() !== "";
  let strokes = [];
  let current;

  const path = (points) => {
    const [first, ...rest] = points;
    pen.beginPath();
    pen.moveTo(...first);
    // A single point is a dot.
    if (rest.length === 0) pen.lineTo(first[0] + 0.1, first[1]);
    for (let i = 0; i < rest.length; i += 1) {
      const [x, y] = rest[i];
      const next = rest[i + 1];
      if (next) pen.quadraticCurveTo(x, y, (x + next[0]) / 2, (y + next[1]) / 2);
      else pen.lineTo(x, y);
    }
    pen.stroke();
  };

  const write = (text) => {
    let size = HEIGHT * 0.45;
    do {
      pen.font = `${size}px ${FONT}`;
      size -= 4;
    } while (size > 16 && pen.measureText(text).width > WIDTH * 0.92);
    pen.fillText(text, WIDTH / 2, HEIGHT / 2, WIDTH * 0.96);
  };

  const draw = () => {
    // White, because the picture is shown on pages of any colour.
    pen.fillStyle = "#ffffff";
    pen.fillRect(0, 0, WIDTH, HEIGHT);
    pen.strokeStyle = INK;
    pen.fillStyle = INK;
    pen.lineWidth = LINE;
    pen.lineCap = "round";
    pen.lineJoin = "round";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    if (isTyped) write(typed.value.trim());
    else for (const points of strokes) path(points);
  };

  const isBlank = () => (isTyped ? typed.value.trim() === "" : strokes.length === 0);

  let lastUpdate = 0;
  const updateFile = (isChange) => {
    const update = ++lastUpdate;
    undo.disabled = strokes.length === 0;
    clear.disabled = strokes.length === 0;
    for (const part of kept) part.hidden = !isBlank();
    const done = (blob) => {
      if (update !== lastUpdate) return;
      const carrier = new DataTransfer();
      if (blob) carrier.items.add(new File([blob], "signature.png", { type: "image/png" }));
      input.files = carrier.files;
      if (isChange) input.dispatchEvent(new Event("change", { bubbles: true }));
    };
    if (isBlank()) done();
    else canvas.toBlob(done, "image/png");
  };

  const redrawWithFont = () => loadFont().then(() => {
    canvas.dataset.font = document.fonts.check(`20px ${FONT_NAME}`) ? "loaded" : "other";
    if (!isTyped) return;
    draw();
    updateFile(false);
  });

  const setMode = (isChange) => {
    if (isTyped) redrawWithFont();
    toDraw.setAttribute("aria-pressed", String(!isTyped));
    toType.setAttribute("aria-pressed", String(isTyped));
    typedPart.hidden = !isTyped;
    tools.hidden = isTyped;
    canvas.classList.toggle("drawn", !isTyped);
    canvas.setAttribute("aria-label", isTyped ? words.preview : words.pad);
    draw();
    updateFile(isChange);
  };

  const pointOf = (event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) * WIDTH) / box.width, ((event.clientY - box.top) * HEIGHT) / box.height];
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (isTyped || current || event.button !== 0) return;
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    current = { id: event.pointerId, points: [pointOf(event)] };
    strokes.push(current.points);
    draw();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (event.pointerId !== current?.id) return;
    for (const each of event.getCoalescedEvents?.() ?? [event]) current.points.push(pointOf(each));
    draw();
  });
  const endStroke = (event) => {
    if (event.pointerId !== current?.id) return;
    current = undefined;
    status.textContent = words.signed;
    updateFile(true);
  };
  canvas.addEventListener("pointerup", endStroke);
  canvas.addEventListener("pointercancel", endStroke);

  undo.addEventListener("click", () => {
    strokes.pop();
    status.textContent = strokes.length === 0 ? words.cleared : "";
    draw();
    updateFile(true);
    if (undo.disabled) toDraw.focus();
  });
  clear.addEventListener("click", () => {
    strokes = [];
    status.textContent = words.cleared;
    draw();
    updateFile(true);
    toDraw.focus();
  });
  toDraw.addEventListener("click", () => {
    isTyped = false;
    setMode(true);
  });
  toType.addEventListener("click", () => {
    isTyped = true;
    setMode(true);
    typed.focus();
  });
  typed.addEventListener("input", draw);
  typed.addEventListener("change", () => updateFile(true));
  setMode(false);
};

// After all modules, so that a restored name is in place.
addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("[data-signature]")) setUp(box);
});
