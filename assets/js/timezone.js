// Fills in the browser's time zone if none was chosen.
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const input of document.querySelectorAll("[data-own-timezone]")) {
  if (own) input.value = own;
}
