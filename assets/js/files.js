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

const MAX_PARALLEL = 3;
const MAX_NAME = 255;
const RETRY_DELAY = 2000;
const TRIES = 5;
// The server accepts an announced upload for an hour.
const HANDLE_LIFETIME = 50 * 60 * 1000;

const element = (tag, className, text) => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
};

const pause = (time) => new Promise((done) => { setTimeout(done, time); });

const shortened = (name) => {
  if (name.length <= MAX_NAME) return name;
  const at = name.lastIndexOf(".");
  const ending = at > 0 && name.length - at <= 20 ? name.slice(at) : "";
  return name.slice(0, MAX_NAME - ending.length) + ending;
};

// Running uploads of all fields.
let running = 0;
const waiting = [];
const acquireSlot = async () => {
  if (running >= MAX_PARALLEL) await new Promise((done) => { waiting.push(done); });
  running += 1;
};
const releaseSlot = () => {
  running -= 1;
  waiting.shift()?.();
};

class Refused extends Error {}
// The file can't be uploaded ahead, but only with the form.
class OnlyWithForm extends Error {}
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
    throw file.type === "" ? new OnlyWithForm() : new Refused();
  }
  if (answer.status === 403 || answer.status === 404 || isBusy(answer.status)) throw new OnlyWithForm();
  if (!answer.ok) throw new Error(String(answer.status));
  const { data } = await answer.json();
  const url = new URL(data.upload_url);
  return { id: data.upload_id, address: url.pathname + url.search, until: Date.now() + HANDLE_LIFETIME };
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
    if (isBusy(status)) throw new OnlyWithForm();
    if (status === 422 || status === 415 || status === 413) throw new Refused();
    if (status === 403) item.handle = await prepare(input, item.file);
    else if (status !== 409) throw new Error(String(status));
    await pause(RETRY_DELAY);
  }
  throw new Error("again and again");
};

const isSame = (a, b) => a.file && b.file && a.file.name === b.file.name && a.file.size === b.file.size
  && a.file.lastModified === b.file.lastModified;

// Files that arrived before the page was loaded again, from the draft.
let restored = JSON.parse(form?.dataset.keptFiles ?? "[]");
const restoredOf = (name) => {
  const own = restored.filter(({ input }) => input === name);
  restored = restored.filter(({ input }) => input !== name);
  return own;
};

const setUp = (box) => {
  if (box.classList.contains("ready")) return;
  const words = box.dataset;
  const input = box.querySelector('input[type="file"]');
  const maxCount = Number(words.maxCount);
  const maxBytes = Number(words.maxBytes);
  const list = element("ul", "file-list");
  const status = element("p", "file-said");
  status.setAttribute("role", "status");
  status.classList.add("muted");
  const full = element("p", "file-hint muted small", words.full);
  full.hidden = true;
  let photo;
  box.querySelector(".file-picker").after(status, list, full);
  let items = [];
  let goesAhead = Boolean(form?.dataset.uploads);

  const say = (text, isFault) => {
    status.textContent = text;
    status.classList.toggle("muted", !isFault);
  };
  const withName = (text, item) => text.replace("{name}", item.name);
  const announceChange = () => input.dispatchEvent(new Event("change", { bubbles: true }));

  // Files to be posted with the form stay in the input.
  const updateInput = () => {
    const carrier = new DataTransfer();
    for (const item of items) if (item.state === "here") carrier.items.add(item.file);
    input.files = carrier.files;
  };

  // At the maximum the picker is hidden. The input keeps the files to be posted.
  const picker = box.querySelector(".file-picker");
  const limit = () => {
    const isFull = items.length >= maxCount;
    if (picker.hidden === isFull) return;
    const hadFocus = picker.contains(document.activeElement);
    picker.hidden = isFull;
    full.hidden = !isFull;
    if (photo) photo.hidden = isFull;
    if (hadFocus) [...items.at(-1).line.querySelectorAll("button")].at(-1).focus();
  };

  const discard = (item) => {
    const at = items.indexOf(item);
    item.isGone = true;
    item.request?.abort();
    item.line.remove();
    items = items.filter((other) => other !== item);
    updateInput();
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
      hidden.dataset.size = item.size;
      // When it arrived: the server keeps it for a day.
      item.at ??= Date.now();
      hidden.dataset.at = item.at;
      parts.push(hidden);
    }
    if (item.state === "going" || item.state === "waiting") {
      item.bar = element("progress");
      item.bar.max = item.size;
      item.bar.value = 0;
      item.bar.setAttribute("aria-label", withName(words.going, item));
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
    remove.setAttribute("aria-label", withName(words.remove, item));
    remove.addEventListener("click", () => {
      const at = discard(item);
      say("");
      const next = items[Math.min(at, items.length - 1)];
      ([...next?.line.querySelectorAll("button") ?? []].at(-1) ?? input).focus();
      announceChange();
    });
    parts.push(remove);
    const hadFocus = line.contains(document.activeElement);
    line.replaceChildren(...parts);
    if (hadFocus) remove.focus();
  };

  const setState = (item, state) => {
    item.state = state;
    if (item.isGone) return;
    draw(item);
    updateInput();
  };

  const start = async (item) => {
    setState(item, "waiting");
    item.done = (async () => {
      await acquireSlot();
      try {
        if (item.isGone) return;
        setState(item, "going");
        await send(input, item);
        item.id = item.handle.id;
        setState(item, "there");
        // Don't replace an error about another file before it can be read.
        if (!item.isGone && status.classList.contains("muted")) say(withName(words.there, item));
      } catch (fault) {
        if (item.isGone) return;
        if (fault instanceof OnlyWithForm) {
          goesAhead = false;
          setState(item, "here");
          say(withName(words.with, item));
        } else if (fault instanceof Refused) {
          discard(item);
          say(withName(words.refused, item), true);
        } else {
          setState(item, "failed");
          say(withName(words.failed, item), true);
        }
      } finally {
        releaseSlot();
        if (!item.isGone && item.state !== "failed") announceChange();
      }
    })();
  };

  const addItem = (own) => {
    const item = { line: element("li"), moved: (count) => { if (item.bar) item.bar.value = count; }, ...own };
    items.push(item);
    list.append(item.line);
    return item;
  };

  // Adds the new files that fit; with a maximum of one, the new file replaces the old.
  const add = (files) => {
    const faults = [];
    const fitting = files.filter((file) => {
      if (file.size > maxBytes) faults.push(words.tooLarge.replace("{name}", file.name));
      if (file.size === 0) faults.push(words.empty.replace("{name}", file.name));
      return file.size > 0 && file.size <= maxBytes;
    });
    if (maxCount === 1 && fitting.length > 0) for (const item of [...items]) discard(item);
    const added = fitting.filter((file) => !items.some((item) => isSame(item, { file })));
    const accepted = added.slice(0, Math.max(0, maxCount - items.length));
    if (accepted.length < added.length) faults.push(words.tooMany);
    say(faults.join(" "), faults.length > 0);
    for (const file of accepted) {
      const item = addItem({ file, name: file.name, size: file.size, state: "here" });
      if (goesAhead) start(item);
      else draw(item);
    }
    updateInput();
    limit();
  };

  input.addEventListener("change", (event) => {
    // Our own change events for the form arrive here too: only a changed selection counts.
    const here = items.filter((item) => item.state === "here").map((item) => item.file);
    if (input.files.length === here.length && here.every((file, at) => file === input.files[at])) return;
    event.stopPropagation();
    add([...input.files]);
    announceChange();
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
      announceChange();
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
      announceChange();
    });
    box.append(button, camera);
    photo = button;
  }

  // Files the page already has.
  for (const tick of box.querySelectorAll(".kept-files input")) {
    draw(addItem({ id: tick.value, name: tick.dataset.name, size: Number(tick.dataset.size), state: "there" }));
  }
  for (const { id, name, size, at } of restoredOf(input.name).slice(0, maxCount - items.length)) {
    draw(addItem({ id, name, size, at, state: "there" }));
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
