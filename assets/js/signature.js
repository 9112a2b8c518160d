// Signatures: drawn with a finger, a pen or a mouse, or typed. Either becomes a picture in the field's file input,
// which is posted with the form.

const WIDTH = 900;
const HEIGHT = 400;
const LINE = 5;
const INK = "#111827";
// The server draws names with the same font; characters that it lacks use another.
const HAND = "Signature";
const FONT = `${HAND}, "Snell Roundhand", "Segoe Script", "Brush Script MT", "URW Chancery L", cursive`;

// Loaded when somebody types, not before.
let hand;
const loadHand = () => {
  hand ??= new FontFace(HAND, `url("${new URL("caveat.ttf", import.meta.url)}")`).load().then(
    (face) => { document.fonts.add(face); },
    () => { hand = undefined; },
  );
  return hand;
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
  const ways = document.createElement("div");
  ways.className = "signature-ways";
  ways.setAttribute("role", "group");
  ways.setAttribute("aria-label", words.way);
  const toDraw = button(words.draw);
  const toType = button(words.type);
  ways.append(toDraw, toType);
  const tools = document.createElement("div");
  tools.className = "signature-tools";
  const undo = button(words.undo);
  const clear = button(words.clear);
  tools.append(undo, clear);
  const said = document.createElement("p");
  said.className = "visually-hidden";
  said.setAttribute("role", "status");
  box.querySelector(".signature-file").hidden = true;
  // The summary of faults links to the field's id, which is now the first button's.
  toDraw.id = input.id;
  input.removeAttribute("id");
  box.prepend(ways);
  box.append(canvas, tools, said);
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

  let asked = 0;
  const keep = (isChange) => {
    const mine = ++asked;
    undo.disabled = strokes.length === 0;
    clear.disabled = strokes.length === 0;
    for (const part of kept) part.hidden = !isBlank();
    const done = (blob) => {
      if (mine !== asked) return;
      const carrier = new DataTransfer();
      if (blob) carrier.items.add(new File([blob], "signature.png", { type: "image/png" }));
      input.files = carrier.files;
      if (isChange) input.dispatchEvent(new Event("change", { bubbles: true }));
    };
    if (isBlank()) done();
    else canvas.toBlob(done, "image/png");
  };

  const inHand = () => loadHand().then(() => {
    canvas.dataset.font = document.fonts.check(`20px ${HAND}`) ? "loaded" : "other";
    if (!isTyped) return;
    draw();
    keep(false);
  });

  const turn = (isChange) => {
    if (isTyped) inHand();
    toDraw.setAttribute("aria-pressed", String(!isTyped));
    toType.setAttribute("aria-pressed", String(isTyped));
    typedPart.hidden = !isTyped;
    tools.hidden = isTyped;
    canvas.classList.toggle("drawn", !isTyped);
    canvas.setAttribute("aria-label", isTyped ? words.preview : words.pad);
    draw();
    keep(isChange);
  };

  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) * WIDTH) / box.width, ((event.clientY - box.top) * HEIGHT) / box.height];
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (isTyped || current || event.button !== 0) return;
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    current = { id: event.pointerId, points: [at(event)] };
    strokes.push(current.points);
    draw();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (event.pointerId !== current?.id) return;
    for (const each of event.getCoalescedEvents?.() ?? [event]) current.points.push(at(each));
    draw();
  });
  const lift = (event) => {
    if (event.pointerId !== current?.id) return;
    current = undefined;
    said.textContent = words.signed;
    keep(true);
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);

  undo.addEventListener("click", () => {
    strokes.pop();
    said.textContent = strokes.length === 0 ? words.cleared : "";
    draw();
    keep(true);
    if (undo.disabled) toDraw.focus();
  });
  clear.addEventListener("click", () => {
    strokes = [];
    said.textContent = words.cleared;
    draw();
    keep(true);
    toDraw.focus();
  });
  toDraw.addEventListener("click", () => {
    isTyped = false;
    turn(true);
  });
  toType.addEventListener("click", () => {
    isTyped = true;
    turn(true);
    typed.focus();
  });
  typed.addEventListener("input", draw);
  typed.addEventListener("change", () => keep(true));
  turn(false);
};

// After all modules, so that a restored name is in place.
addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("[data-signature]")) setUp(box);
});
