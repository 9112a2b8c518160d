// Keeps "in 3 days" true, and loads the page again when the moment has come.
const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
const words = new Intl.RelativeTimeFormat(document.documentElement.lang || "en", { numeric: "always" });

const tell = (element) => {
  const left = Math.round((Number(element.dataset.until) - Date.now()) / 1000);
  if (left <= 0) {
    if ("reloads" in element.dataset) location.reload();
    return;
  }
  const [unit, size] = units.find(([, size]) => left >= size);
  element.textContent = words.format(Math.floor(left / size), unit);
  setTimeout(tell, left > 7200 ? 60000 : 1000, element);
};

for (const element of document.querySelectorAll("[data-until]")) tell(element);
