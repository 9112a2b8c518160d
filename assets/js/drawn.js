// This page as the server draws it now, for what follows from a change. A frame that nobody sees loads it: markup is read by
// the browser alone, past no rule on trusted types.

// Answers the page's document; none where it can't be had.
export const drawn = () => new Promise((resolve) => {
  const address = new URL(location);
  address.searchParams.set("frame", "1");
  address.hash = "";
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.src = address;
  frame.addEventListener("load", () => {
    const page = frame.contentDocument;
    frame.remove();
    resolve(page ?? undefined);
  }, { once: true });
  document.body.append(frame);
});
