// Deliveries of a webhook: asks how they are, and writes what changed into their cells. Rows never move by themselves.
const ASK_EVERY = 5000;

const news = document.getElementById("new-deliveries");
const cells = new Map();
for (const cell of document.querySelectorAll("[data-delivery]")) {
  cells.set(`${cell.dataset.delivery} ${cell.dataset.cell}`, cell);
}

const write = (element, text) => { if (element && element.textContent !== text) element.textContent = text; };

const update = (delivery) => {
  const cell = (name) => cells.get(`${delivery.id} ${name}`);
  for (const [name, text] of Object.entries(delivery.cells)) write(cell(name), text);
  const chip = cell("state");
  if (chip) chip.className = `chip ${delivery.tone}`.trim();
  const again = cell("again");
  if (again) again.hidden = delivery.is_waiting;
};

const ask = async () => {
  if (document.visibilityState !== "visible") return;
  try {
    const answer = await fetch(news.dataset.state, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const { data } = await answer.json();
    for (const delivery of data.deliveries) update(delivery);
    news.hidden = data.words === "";
    write(news.firstElementChild, data.words);
  } catch {
    // Without a connection nothing is known; the next time may tell.
  }
};

if (news) setInterval(ask, ASK_EVERY);
