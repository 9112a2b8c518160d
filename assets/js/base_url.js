// Warns if the page was opened under another address than the configured one. The server compares only hosts, and a
// proxy may have changed what it sees.
for (const notice of document.querySelectorAll("[data-origin]")) {
  notice.hidden = location.origin === notice.dataset.origin;
  for (const here of notice.querySelectorAll("[data-here]")) here.textContent = location.origin;
}
