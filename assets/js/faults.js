// Draws faults as the server does: a summary that takes the focus, and a message beside each field.

const field = (code) => document.querySelector(`[data-field="${CSS.escape(code)}"]`);

const controls = (box) => [...box.querySelectorAll("input, select, textarea")];

const describe = (element, id, on) => {
  const ids = new Set((element.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean));
  if (on) ids.add(id); else ids.delete(id);
  if (ids.size > 0) element.setAttribute("aria-describedby", [...ids].join(" "));
  else element.removeAttribute("aria-describedby");
};

// Sets or takes away the message of one field.
export const setFault = (code, text) => {
  const box = field(code);
  if (!box) return;
  const id = `${code}-fault`;
  const wrong = text !== "";
  box.classList.toggle("wrong", wrong);
  let line = document.getElementById(id);
  if (wrong && !line) {
    line = document.createElement("p");
    line.id = id;
    line.className = "fault";
    const after = document.getElementById(`${code}-notes`) ?? box.querySelector("legend, label.label");
    after.after(line);
  }
  if (line) {
    if (wrong) line.textContent = text;
    else line.remove();
  }
  const group = box.querySelector("fieldset");
  for (const element of group ? [group] : controls(box)) {
    describe(element, id, wrong);
  }
  for (const element of controls(box)) {
    if (wrong) element.setAttribute("aria-invalid", "true");
    else element.removeAttribute("aria-invalid");
  }
  if (!wrong) {
    const link = document.querySelector(`#summary [data-to="${CSS.escape(code)}"]`);
    link?.closest("li").remove();
    if (!document.querySelector("#summary li")) clearSummary();
  }
};

export const clearSummary = () => document.getElementById("before-fields")?.replaceChildren();

// Says something above the fields.
export const showNotice = (text) => {
  const box = document.createElement("div");
  box.className = "message warn before-form";
  box.tabIndex = -1;
  box.setAttribute("role", "alert");
  box.textContent = text;
  document.getElementById("before-fields")?.replaceChildren(box);
  box.focus();
};

// Shows these faults and no others.
export const showFaults = ({ title: words, faults }) => {
  for (const box of document.querySelectorAll(".field.wrong")) setFault(box.dataset.field, "");
  clearSummary();
  for (const fault of faults) setFault(fault.field, fault.text);
  const summary = document.createElement("div");
  summary.id = "summary";
  summary.className = "message summary before-form";
  summary.tabIndex = -1;
  summary.setAttribute("role", "alert");
  const title = document.createElement("h2");
  title.textContent = words;
  const list = document.createElement("ul");
  for (const fault of faults) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `#${fault.field}`;
    link.dataset.to = fault.field;
    link.textContent = `${fault.label}: ${fault.text}`;
    item.append(link);
    list.append(item);
  }
  summary.append(title, list);
  document.getElementById("before-fields")?.replaceChildren(summary);
  summary.focus();
  summary.scrollIntoView({ block: "nearest" });
};

// A link of the summary leads into the field, not only to it.
document.addEventListener("click", (event) => {
  const link = event.target.closest("#summary a[data-to]");
  const box = link && field(link.dataset.to);
  if (!box) return;
  event.preventDefault();
  (box.querySelector("label.label, legend") ?? box).scrollIntoView({ block: "start" });
  const all = [...box.querySelectorAll("input, select, textarea, button")];
  all.find((element) => element.type !== "hidden" && element.checkVisibility())?.focus({ preventScroll: true });
});
