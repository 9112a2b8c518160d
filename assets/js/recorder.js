// Records audio into the field's file input, which is posted with the form. Without a recorder the input takes a file,
// as without scripts.

const TYPES = ["audio/webm;codecs=opus", "audio/ogg;codecs=opus", "audio/mp4", "audio/webm"];
const EXTENSIONS = { "audio/webm": "webm", "audio/ogg": "ogg", "audio/mp4": "m4a" };
const TICK = 200;

const clock = (secs) => `${Math.floor(secs / 60)}:${String(Math.floor(secs % 60)).padStart(2, "0")}`;

const button = (words) => {
  const element = document.createElement("button");
  element.type = "button";
  element.className = "button quiet";
  element.textContent = words;
  return element;
};

const setUp = (box) => {
  const words = box.dataset;
  const input = box.querySelector('input[type="file"]');
  const hint = box.querySelector(".file-hint");
  const maxSecs = Number(words.max);
  // Recordings written as a stream don't contain their duration.
  const durationInput = document.createElement("input");
  durationInput.type = "hidden";
  durationInput.name = `${input.name}.duration`;
  durationInput.dataset.name = "";
  input.after(durationInput);
  // A new recording replaces the one the page already has.
  const kept = [...box.querySelectorAll(".kept-files, .kept-hint")];
  const record = button(words.record);
  const remove = button(words.delete);
  const time = document.createElement("span");
  time.className = "recorder-time";
  time.setAttribute("role", "timer");
  time.dir = "ltr";
  const status = document.createElement("p");
  status.className = "recorder-said muted";
  status.setAttribute("role", "status");
  const player = document.createElement("audio");
  player.controls = true;
  player.setAttribute("aria-label", words.player);
  const tools = box.querySelector(".recorder-tools");
  tools.append(record, time, remove);
  tools.after(status, player);
  hint.textContent = words.with;

  let recorder;
  let startedAt = 0;
  let ticking;
  const show = (secs) => { time.textContent = `${clock(secs)} / ${clock(maxSecs)}`; };

  const play = (file) => {
    if (player.src) URL.revokeObjectURL(player.src);
    if (file) player.src = URL.createObjectURL(file);
    else player.removeAttribute("src");
    player.hidden = !file;
    remove.hidden = !file;
    record.textContent = file ? words.again : words.record;
    for (const part of kept) part.hidden = Boolean(file);
  };

  const setFile = (file) => {
    const carrier = new DataTransfer();
    if (file) carrier.items.add(file);
    input.files = carrier.files;
    play(file);
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };

  const stopRecording = () => {
    if (recorder?.state === "recording") recorder.stop();
  };

  const startRecording = async () => {
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
      recorder = new MediaRecorder(stream, mimeType ? { mimeType } : {});
    } catch (fault) {
      for (const track of stream?.getTracks() ?? []) track.stop();
      status.textContent = fault.name === "NotAllowedError" ? words.denied : words.failed;
      return;
    }
    const parts = [];
    recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
    recorder.addEventListener("error", stopRecording);
    recorder.addEventListener("stop", () => {
      clearInterval(ticking);
      for (const track of stream.getTracks()) track.stop();
      record.removeAttribute("aria-pressed");
      box.classList.remove("recording");
      const type = (recorder.mimeType || "audio/webm").split(";")[0];
      const file = new File(parts, `recording.${EXTENSIONS[type] ?? "webm"}`, { type });
      if (file.size === 0) {
        play(input.files[0]);
        status.textContent = words.failed;
        return;
      }
      setFile(file);
      durationInput.value = Math.min((performance.now() - startedAt) / 1000, maxSecs).toFixed(2);
      status.textContent = words.done;
    });
    recorder.start();
    startedAt = performance.now();
    record.textContent = words.stop;
    record.setAttribute("aria-pressed", "true");
    box.classList.add("recording");
    remove.hidden = true;
    player.hidden = true;
    status.textContent = words.recording;
    show(0);
    ticking = setInterval(() => {
      const secs = (performance.now() - startedAt) / 1000;
      show(Math.min(secs, maxSecs));
      if (secs >= maxSecs) stopRecording();
    }, TICK);
  };

  record.addEventListener("click", () => {
    if (recorder?.state === "recording") stopRecording();
    else startRecording();
  });
  remove.addEventListener("click", () => {
    setFile();
    show(0);
    status.textContent = words.deleted;
    record.focus();
  });
  player.addEventListener("durationchange", () => {
    if (Number.isFinite(player.duration)) durationInput.value = player.duration.toFixed(2);
  });
  // A chosen file can be played as well.
  input.addEventListener("change", () => {
    const [file] = input.files;
    if (Boolean(file) === player.hidden) play(file);
  });
  show(0);
  play(input.files[0]);
};

if (navigator.mediaDevices && "MediaRecorder" in window) {
  for (const box of document.querySelectorAll("[data-recorder]")) setUp(box);
}
