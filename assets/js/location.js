// Locations: asks the device for its position, only when the button is pressed. Only the form's post sends the result.

// A seventh decimal is a centimetre.
const DIGITS = 6;

const set = (control, value) => {
  control.value = value;
  for (const kind of ["input", "change"]) control.dispatchEvent(new Event(kind, { bubbles: true }));
};

const setUp = (box) => {
  const inputOf = (name) => box.querySelector(`input[name$=".${name}"]`);
  const canAsk = "geolocation" in navigator && window.isSecureContext;
  const finder = canAsk && box.querySelector(".location-find");
  const status = box.querySelector('[role="status"]');
  const point = box.querySelector("details");
  // Show faults inside the details.
  box.closest("form")?.addEventListener("checked", ({ detail: { faults } }) => {
    const code = box.closest("[data-field]")?.dataset.field;
    const fault = faults?.find(({ field }) => field === code);
    const onlyName = fault?.inside?.length > 0 && fault.inside.every(({ at }) => at === ".address");
    if (fault && !onlyName) point.open = true;
  });
  if (!finder) {
    // Only typed coordinates are possible.
    point.open = true;
    return;
  }
  finder.classList.add("ready");
  const button = finder.querySelector("button");
  button.addEventListener("click", () => {
    status.textContent = box.dataset.seeking;
    button.setAttribute("aria-busy", "true");
    navigator.geolocation.getCurrentPosition(({ coords }) => {
      button.removeAttribute("aria-busy");
      set(inputOf("latitude"), String(Number(coords.latitude.toFixed(DIGITS))));
      set(inputOf("longitude"), String(Number(coords.longitude.toFixed(DIGITS))));
      status.textContent = box.dataset.found;
    }, (fault) => {
      button.removeAttribute("aria-busy");
      point.open = true;
      status.textContent = fault.code === fault.PERMISSION_DENIED ? box.dataset.denied : box.dataset.failed;
    }, { enableHighAccuracy: true, timeout: 20000, maximumAge: 60000 });
  });
};

for (const box of document.querySelectorAll("[data-location]")) setUp(box);
