// Fills in the browser's own time zone where nobody has chosen one yet.
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const input of document.querySelectorAll("[data-own-timezone]")) {
  if (own) input.value = own;
}
