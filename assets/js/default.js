// "Take as default" and "Take as right answer" post what stands in the question's control in the preview. Where it shows
// no such control, or nothing stands there, the link leads to a page with the question alone.
const ofQuestion = (name, code) => name === code || name.startsWith(`${code}.`) || name.startsWith(`${code}[`);

// What is filled in for a question in the frame.
const filledIn = (code) => {
  const frame = document.getElementById("preview");
  if (!frame?.checkVisibility()) return [];
  const page = frame.contentDocument;
  const box = page?.querySelector(`[data-field="${CSS.escape(code)}"]`);
  const form = box?.closest("form");
  if (!form || box.hidden) return [];
  return [...new FormData(form)].filter(([name, value]) => typeof value === "string" && ofQuestion(name, code));
};

const post = (action, pairs) => {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action, hidden: true });
  for (const [name, value] of pairs) {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  document.body.append(form);
  // What was typed into the panel is saved first.
  form.requestSubmit();
};

addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-take]");
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const pairs = filledIn(link.dataset.take);
  if (!pairs.some(([, value]) => value !== "")) return;
  event.preventDefault();
  post(link.href, [["csrf", link.dataset.csrf], ["_page", "0"], ["_action", "submit"], ...pairs]);
});
