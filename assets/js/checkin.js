// Reads a code out of a picture that the phone's camera takes; the picture stays on the device.
const place = document.querySelector("[data-picture]");
const code = place && document.getElementById(place.dataset.picture);

const read = async (picture) => {
  const says = place.querySelector("[data-unread]");
  says.textContent = "";
  try {
    const image = await createImageBitmap(picture);
    const [found] = await new globalThis.BarcodeDetector({ formats: ["qr_code"] }).detect(image);
    if (found) {
      code.value = found.rawValue;
      code.form.requestSubmit();
      return;
    }
  } catch {
    // A file that is no picture has no code either.
  }
  says.textContent = says.dataset.unread;
};

if (place && "BarcodeDetector" in globalThis) {
  place.hidden = false;
  const input = place.querySelector("input[type=file]");
  input.addEventListener("change", () => {
    if (input.files.length > 0) read(input.files[0]);
    input.value = "";
  });
}
