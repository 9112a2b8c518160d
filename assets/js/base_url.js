// Warns where the page was opened under another address than the one that the service is set to. The server compares
// hosts alone, and a proxy may have changed what it sees.
for (const notice of document.querySelectorAll("[data-origin]")) {
  notice.hidden = location.origin === notice.dataset.origin;
  for (const here of notice.querySelectorAll("[data-here]")) here.textContent = location.origin;
}
