// Several lines that are pasted outside of a box become questions: the form that waits for them is sent.

const form = document.getElementById("pasted");

const isTyped = (target) => target instanceof Element && target.closest("input, textarea, select, [contenteditable]");

document.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!form || (isTyped(event.target) && event.target.type !== "checkbox") || !text.trim().includes("\n")) return;
  event.preventDefault();
  form.elements.list.value = text;
  form.requestSubmit();
});
