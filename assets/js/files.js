// Files to send: a list of what was chosen, with sizes and a way to take one out again. More may be
// added while there is room; what does not fit is said at once. The input keeps the files: the form's
// post takes them from there.

const language = document.documentElement.lang || "en";

const UNITS = [["gigabyte", 2 ** 30], ["megabyte", 2 ** 20], ["kilobyte", 2 ** 10], ["byte", 1]];
const sizeOf = (bytes) => {
  const [unit, size] = UNITS.find(([, size]) => bytes >= size) ?? UNITS.at(-1);
  const style = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: bytes >= 2 ** 20 ? 1 : 0 };
  return new Intl.NumberFormat(language, style).format(bytes / size);
};

const isSame = (a, b) => a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;

const element = (tag, className, text) => {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
};

const setUp = (box) => {
  const input = box.querySelector('input[type="file"]');
  const most = Number(box.dataset.maxCount);
  const room = Number(box.dataset.maxBytes);
  const list = element("ul", "file-list", "");
  const said = element("p", "file-said", "");
  said.setAttribute("role", "status");
  input.after(said, list);
  let chosen = [];

  const put = (files) => {
    chosen = files;
    const carrier = new DataTransfer();
    for (const file of files) carrier.items.add(file);
    input.files = carrier.files;
  };

  const draw = () => {
    list.replaceChildren(...chosen.map((file) => {
      const line = document.createElement("li");
      const name = element("span", "file-name", file.name);
      name.dir = "auto";
      const button = element("button", "button quiet small", "×");
      button.type = "button";
      button.setAttribute("aria-label", box.dataset.remove.replace("{name}", file.name));
      button.addEventListener("click", () => {
        const at = chosen.indexOf(file);
        put(chosen.filter((other) => other !== file));
        draw();
        said.textContent = "";
        (list.querySelectorAll("button")[Math.min(at, chosen.length - 1)] ?? input).focus();
        input.dispatchEvent(new Event("change", { bubbles: true }));
      });
      line.append(name, element("span", "file-size muted", sizeOf(file.size)), button);
      return line;
    }));
  };

  // What fits of the files that are new, with what was there before where several may be.
  const add = (files) => {
    const faults = [];
    const fitting = files.filter((file) => {
      if (file.size > room) faults.push(box.dataset.tooLarge.replace("{name}", file.name));
      return file.size <= room;
    });
    const before = most > 1 || fitting.length === 0 ? chosen : [];
    const all = [...before, ...fitting.filter((file) => !before.some((other) => isSame(file, other)))];
    if (all.length > most) faults.push(box.dataset.tooMany);
    put(all.slice(0, most));
    draw();
    said.textContent = faults.join(" ");
  };

  let isOurs = false;
  input.addEventListener("change", () => {
    // The same event that tells the form of a change tells us: once is enough.
    if (isOurs || input.files.length === chosen.length && chosen.every((file, at) => file === input.files[at])) return;
    isOurs = true;
    add([...input.files]);
    isOurs = false;
  });

  // A telephone takes the picture at once; the input itself still offers those that there are.
  if (box.dataset.photo && matchMedia("(pointer: coarse)").matches) {
    const camera = document.createElement("input");
    camera.type = "file";
    camera.accept = "image/*";
    camera.setAttribute("capture", "environment");
    camera.hidden = true;
    const button = element("button", "button quiet", box.dataset.photo);
    button.type = "button";
    button.addEventListener("click", () => camera.click());
    camera.addEventListener("change", () => {
      add([...camera.files]);
      camera.value = "";
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
    box.append(button, camera);
  }
  box.classList.add("ready");
  // Going back, the browser may have kept the files.
  if (input.files.length > 0) add([...input.files]);
};

for (const box of document.querySelectorAll("[data-files]")) setUp(box);
