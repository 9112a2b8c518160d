// Tells the page that frames this one how tall it is. Sends a number, listens to nothing.
const tell = () => {
  const height = Math.ceil(document.body.getBoundingClientRect().height);
  window.parent.postMessage({ height }, "*");
};

if (window.parent !== window) {
  new ResizeObserver(tell).observe(document.body);
  tell();
}
