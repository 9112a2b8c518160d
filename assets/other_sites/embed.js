// For pages of other sites that embed forms: makes each frame as tall as its form. It takes heights only from the frames
// of its own page, and only where they show the service that this script comes from.
(() => {
  const service = new URL(".", document.currentScript.src);
  const isOurs = (frame) => frame.src.startsWith(`${service.href}f/`);
  const grow = (frame, height) => {
    frame.style.height = `${height}px`;
  };

  addEventListener("message", (event) => {
    const height = event.data?.height;
    if (event.origin !== service.origin || !Number.isFinite(height) || height <= 0) return;
    for (const frame of document.querySelectorAll("iframe")) {
      if (frame.contentWindow === event.source && isOurs(frame)) grow(frame, height);
    }
  });

  // Frames that were there before this script have told their height already. They tell it again when their size changes.
  for (const frame of document.querySelectorAll("iframe")) {
    if (isOurs(frame)) grow(frame, frame.offsetHeight + 1);
  }
})();
