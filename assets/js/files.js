// File uploads: each starts when the file is chosen, with progress, retries, and a way to remove it. The form's post
// names the uploaded ones. Where uploading ahead is not possible, the input keeps the files, and the post contains
// them.

const language = document.documentElement.lang || "en";
const form = document.getElementById("form");

const UNITS = [["gigabyte", 2 ** 30], ["megabyte", 2 ** 20], ["kilobyte", 2 ** 10], ["byte", 1]];
const sizeOf = (bytes) => {
  const [unit, size] = UNITS.find(([, size]) => bytes >= size) ?? UNITS.at(-1);
  // The short unit has no plural in English.
  const style = { style: "unit", unit, unitDisplay: unit === "byte" ? "long" : "short", maximumFractionDigits: bytes >= 2 ** 20 ? 1 : 0 };
  return new Intl.NumberFormat(language, style).format(bytes / size);
};

const AT_ONCE = 3;
const MOST_NAME = 255;
const PATIENCE = 2000;
const TRIES = 5;
// The server accepts an announced upload for an hour.
const HANDLE = 50 * 60 * 1000;

const element = (tag, className, text) => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
};

const pause = (time) => new Promise((done) => { setTimeout(done, time); });

const shortened = (name) => {
  if (name.length <= MOST_NAME) return name;
  const at = name.lastIndexOf(".");
  const ending = at > 0 && name.length - at <= 20 ? name.slice(at) : "";
  return name.slice(0, MOST_NAME - ending.length) + ending;
};

// Running uploads of all fields.
let running = 0;
const waiting = [];
const turn = async () => {
  if (running >= AT_ONCE) await new Promise((done) => { waiting.push(done); });
  running += 1;
};
const over = () => {
  running -= 1;
  waiting.shift()?.();
};

class Refused extends Error {}
// The file can't be uploaded ahead, but only with the form.
class Unfit extends Error {}
// The server accepts no more uploads ahead of forms at the moment.
const isBusy = (status) => status === 429 || status === 503;

// Announces a file; returns its upload address.
const prepare = async (input, file) => {
  const [field] = input.name.split(/[.[]/);
  const body = {
    field_api_code: field,
    file_name: shortened(file.name),
    content_type: file.type || "application/octet-stream",
    file_size: file.size,
  };
  if (input.name.includes(".")) body.dimension_api_code = input.name.slice(input.name.lastIndexOf(".") + 1);
  const answer = await fetch(form.dataset.uploads, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (answer.status === 422) {
    // If the browser does not know the type, the server takes it from the extension when the file is posted.
    throw file.type === "" ? new Unfit() : new Refused();
  }
  if (answer.status === 403 || answer.status === 404 || isBusy(answer.status)) throw new Unfit();
  if (!answer.ok) throw new Error(String(answer.status));
  const { data } = await answer.json();
  const url = new URL(data.upload_url);
  return { id: data.upload_id, address: url.pathname + url.search, until: Date.now() + HANDLE };
};

const put = (item) => new Promise((done, fail) => {
  const request = new XMLHttpRequest();
  item.request = request;
  request.open("PUT", item.handle.address);
  request.setRequestHeader("Content-Type", item.file.type);
  request.upload.addEventListener("progress", (event) => { item.moved(event.loaded); });
  request.addEventListener("load", () => done(request.status));
  for (const kind of ["error", "abort", "timeout"]) {
    request.addEventListener(kind, () => fail(new Error(kind)));
  }
  request.send(item.file);
});

const send = async (input, item) => {
  if (!item.handle || Date.now() > item.handle.until) item.handle = await prepare(input, item.file);
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (item.isGone) return;
    const status = await put(item);
    // A file whose first response was lost has been stored.
    if (status === 200 || status === 410) return;
    if (isBusy(status)) throw new Unfit();
    if (status === 422 || status === 415 || status === 413) throw new Refused();
    if (status === 403) item.handle = await prepare(input, item.file);
    else if (status !== 409) throw new Error(String(status));
    await pause(PATIENCE);
  }
  throw new Error("again and again");
};

const isSame = (a, b) => a.file && b.file && a.file.name === b.file.name && a.file.size === b.file.size
  && a.file.lastModified === b.file.lastModified;

const setUp = (box) => {
  if (box.classList.contains("ready")) return;
  const words = box.dataset;
  const input = box.querySelector('input[type="file"]');
  const most = Number(words.maxCount);
  const room = Number(words.maxBytes);
  const list = element("ul", "file-list");
  const said = element("p", "file-said");
  said.setAttribute("role", "status");
  said.classList.add("muted");
  const full = element("p", "file-hint muted small", words.full);
  full.hidden = true;
  let photo;
  box.querySelector(".file-picker").after(said, list, full);
  let items = [];
  let goesAhead = Boolean(form?.dataset.uploads);

  const say = (text, isFault) => {
    said.textContent = text;
    said.classList.toggle("muted", !isFault);
  };
  const named = (text, item) => text.replace("{name}", item.name);
  const tell = () => input.dispatchEvent(new Event("change", { bubbles: true }));

  // Files to be posted with the form stay in the input.
  const keep = () => {
    const carrier = new DataTransfer();
    for (const item of items) if (item.state === "here") carrier.items.add(item.file);
    input.files = carrier.files;
  };

  // At the maximum the picker is hidden. The input keeps the files to be posted.
  const picker = box.querySelector(".file-picker");
  const limit = () => {
    const isFull = items.length >= most;
    if (picker.hidden === isFull) return;
    const had = picker.contains(document.activeElement);
    picker.hidden = isFull;
    full.hidden = !isFull;
    if (photo) photo.hidden = isFull;
    if (had) [...items.at(-1).line.querySelectorAll("button")].at(-1).focus();
  };

  const take = (item) => {
    const at = items.indexOf(item);
    item.isGone = true;
    item.request?.abort();
    item.line.remove();
    items = items.filter((other) => other !== item);
    keep();
    limit();
    return at;
  };

  // Renders a file's line: name, size, progress and buttons.
  const draw = (item) => {
    const line = item.line;
    line.className = item.state;
    const name = element("span", "file-name", item.name);
    name.dir = "auto";
    const size = element("span", "file-size muted", sizeOf(item.size));
    const parts = [name, size];
    if (item.state === "there") {
      const hidden = element("input");
      hidden.type = "hidden";
      hidden.name = input.name;
      hidden.value = item.id;
      hidden.dataset.name = item.name;
      parts.push(hidden);
    }
    if (item.state === "going" || item.state === "waiting") {
      item.bar = element("progress");
      item.bar.max = item.size;
      item.bar.value = 0;
      item.bar.setAttribute("aria-label", named(words.going, item));
      parts.push(item.bar);
    }
    if (item.state === "failed") {
      const again = element("button", "button quiet small", words.again);
      again.type = "button";
      again.setAttribute("aria-label", `${words.again}: ${item.name}`);
      again.addEventListener("click", () => {
        start(item);
        line.querySelector("button")?.focus();
      });
      parts.push(again);
    }
    const remove = element("button", "button quiet small", "×");
    remove.type = "button";
    remove.setAttribute("aria-label", named(words.remove, item));
    remove.addEventListener("click", () => {
      const at = take(item);
      say("");
      const next = items[Math.min(at, items.length - 1)];
      ([...next?.line.querySelectorAll("button") ?? []].at(-1) ?? input).focus();
      tell();
    });
    parts.push(remove);
    const had = line.contains(document.activeElement);
    line.replaceChildren(...parts);
    if (had) remove.focus();
  };

  const become = (item, state) => {
    item.state = state;
    if (item.isGone) return;
    draw(item);
    keep();
  };

  const start = async (item) => {
    become(item, "waiting");
    item.done = (async () => {
      await turn();
      try {
        if (item.isGone) return;
        become(item, "going");
        await send(input, item);
        item.id = item.handle.id;
        become(item, "there");
        // Don't replace an error about another file before it can be read.
        if (!item.isGone && said.classList.contains("muted")) say(named(words.there, item));
      } catch (fault) {
        if (item.isGone) return;
        if (fault instanceof Unfit) {
          goesAhead = false;
          become(item, "here");
          say(named(words.with, item));
        } else if (fault instanceof Refused) {
          take(item);
          say(named(words.refused, item), true);
        } else {
          become(item, "failed");
          say(named(words.failed, item), true);
        }
      } finally {
        over();
        if (!item.isGone && item.state !== "failed") tell();
      }
    })();
  };

  const make = (own) => {
    const item = { line: element("li"), moved: (count) => { if (item.bar) item.bar.value = count; }, ...own };
    items.push(item);
    list.append(item.line);
    return item;
  };

  // Adds the new files that fit; with a maximum of one, the new file replaces the old.
  const add = (files) => {
    const faults = [];
    const fitting = files.filter((file) => {
      if (file.size > room) faults.push(words.tooLarge.replace("{name}", file.name));
      if (file.size === 0) faults.push(words.empty.replace("{name}", file.name));
      return file.size > 0 && file.size <= room;
    });
    if (most === 1 && fitting.length > 0) for (const item of [...items]) take(item);
    const fresh = fitting.filter((file) => !items.some((item) => isSame(item, { file })));
    const taken = fresh.slice(0, Math.max(0, most - items.length));
    if (taken.length < fresh.length) faults.push(words.tooMany);
    say(faults.join(" "), faults.length > 0);
    for (const file of taken) {
      const item = make({ file, name: file.name, size: file.size, state: "here" });
      if (goesAhead) start(item);
      else draw(item);
    }
    keep();
    limit();
  };

  input.addEventListener("change", (event) => {
    // Our own change events for the form arrive here too: only a changed selection counts.
    const here = items.filter((item) => item.state === "here").map((item) => item.file);
    if (input.files.length === here.length && here.every((file, at) => file === input.files[at])) return;
    event.stopPropagation();
    add([...input.files]);
    tell();
  });

  // The form waits for running uploads; a failed one stops it.
  form?.addEventListener("settle", (event) => {
    const going = items.filter((item) => ["going", "waiting"].includes(item.state));
    event.detail.going += going.length;
    event.detail.done.push(Promise.all(going.map((item) => item.done)).then(() => {
      const failed = items.find((item) => item.state === "failed");
      if (failed) event.detail.failed.push(failed.line.querySelector("button"));
    }));
  });
  addEventListener("online", () => {
    for (const item of items.filter((item) => item.state === "failed")) start(item);
  });

  for (const kind of ["dragover", "dragleave", "drop"]) {
    box.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      box.classList.toggle("over", kind === "dragover");
      if (kind !== "drop") return;
      add([...event.dataTransfer.files]);
      tell();
    });
  }

  // On phones a button opens the camera; the input still offers existing pictures.
  if (words.photo && matchMedia("(pointer: coarse)").matches) {
    const camera = element("input");
    camera.type = "file";
    camera.accept = "image/*";
    camera.setAttribute("capture", "environment");
    camera.hidden = true;
    const button = element("button", "button quiet", words.photo);
    button.type = "button";
    button.addEventListener("click", () => camera.click());
    camera.addEventListener("change", (event) => {
      event.stopPropagation();
      add([...camera.files]);
      camera.value = "";
      tell();
    });
    box.append(button, camera);
    photo = button;
  }

  // Files the page already has.
  for (const tick of box.querySelectorAll(".kept-files input")) {
    draw(make({ id: tick.value, name: tick.dataset.name, size: Number(tick.dataset.size), state: "there" }));
  }
  for (const plain of box.querySelectorAll(".kept-files, .kept-hint")) plain.remove();
  box.classList.add("ready");
  limit();
  // When going back, the browser may have kept the files.
  if (input.files.length > 0) add([...input.files]);
};

const setUpAll = () => { for (const box of document.querySelectorAll("[data-files]")) setUp(box); };
setUpAll();
// Tables add rows later.
if (form) new MutationObserver(setUpAll).observe(form, { childList: true, subtree: true });
// Leaving while files are uploading asks for confirmation.
addEventListener("beforeunload", (event) => { if (running > 0) event.preventDefault(); });
