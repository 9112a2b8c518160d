// A page in a frame of ours: what is about its entry stays in the frame, all else leads the whole window.

const stays = (address) => new URL(address, location).searchParams.get("frame") === "1";

addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (link && stays(link.href)) link.target = "_self";
}, { capture: true });

addEventListener("submit", (event) => {
  const address = event.submitter?.getAttribute("formaction") ?? event.target.getAttribute("action");
  event.target.setAttribute("target", stays(address) ? "_self" : "_top");
}, { capture: true });
