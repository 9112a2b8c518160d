// The frame with the form's page: a new one is loaded behind it and takes its place, at the same scroll position.

const WAIT = 150;

let timer;

const swap = () => {
  const old = document.getElementById("preview");
  if (!old?.checkVisibility()) return;
  const next = old.cloneNode();
  next.removeAttribute("id");
  next.removeAttribute("loading");
  next.classList.add("loading");
  next.addEventListener("load", () => {
    next.contentWindow.scrollTo(0, old.contentWindow?.scrollY ?? 0);
    next.id = "preview";
    next.classList.remove("loading");
    old.remove();
  }, { once: true });
  old.after(next);
};

export const refresh = () => {
  clearTimeout(timer);
  timer = setTimeout(swap, WAIT);
};
