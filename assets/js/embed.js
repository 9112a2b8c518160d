// Tells the embedding page the height of this one. Sends a number, listens to nothing.
const postHeight = () => {
  const height = Math.ceil(document.body.getBoundingClientRect().height);
  window.parent.postMessage({ height }, "*");
};

if (window.parent !== window) {
  new ResizeObserver(postHeight).observe(document.body);
  // A page whose script comes late asks for the height by changing the frame's.
  addEventListener("resize", postHeight);
  postHeight();
}
