// The progress of long work on entries: asks how far it is, and shows the page anew once it is over.
const ASK_EVERY = 1000;

const bar = document.getElementById("work-progress");

const ask = async () => {
  if (document.visibilityState !== "visible") return;
  try {
    const answer = await fetch(bar.dataset.state, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const { data } = await answer.json();
    if (data.is_over) {
      location.reload();
      return;
    }
    bar.value = data.done;
    const words = bar.nextElementSibling;
    if (words.textContent !== data.words) words.textContent = data.words;
  } catch {
    // Without a connection nothing is known; the next time may tell.
  }
};

if (bar?.dataset.state) setInterval(ask, ASK_EVERY);
