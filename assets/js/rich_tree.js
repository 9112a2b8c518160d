// The nodes of a rich text: made of the tree that the server gives, and written as HTML for the server to sanitise.

const KEPT = new Set(["p", "br", "b", "strong", "i", "em", "u", "s", "a", "ul", "ol", "li", "h1", "h2", "h3", "h4", "blockquote", "img"]);
const BLOCKS = new Set(["div", "section", "article", "h5", "h6", "pre"]);
const SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escape = (text) => text.replace(/[&<>"]/gu, (sign) => SIGNS[sign]);

// A picture is shown from this host, whatever the service calls itself.
export const show = (image, address) => {
  image.dataset.src = address;
  image.src = new URL(address).pathname;
};

export const build = (node) => {
  if (typeof node === "string") return document.createTextNode(node);
  const [name, ...rest] = node;
  if (!KEPT.has(name)) return document.createTextNode("");
  const attributes = rest[0]?.constructor === Object ? rest.shift() : {};
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key !== "src") element.setAttribute(key, value);
  }
  if (attributes.src) show(element, attributes.src);
  element.append(...rest.map(build));
  return element;
};

// Browsers put a new list into the paragraph that it is made of.
const WITHIN = ["ul", "ol", "p", "blockquote", "h1", "h2", "h3", "h4"].map((name) => `:scope > ${name}`).join();

const write = (node) => {
  if (node.nodeType === Node.TEXT_NODE) return escape(node.data.replaceAll("\u00a0", " "));
  const { localName: name } = node;
  const inner = [...node.childNodes].map(write).join("");
  const isBlock = name === "p" || BLOCKS.has(name);
  if (isBlock) return node.querySelector(WITHIN) ? inner : `<p>${inner}</p>`;
  if (name === "br") return "<br>";
  if (name === "img") {
    // Not the size that it has in the editor.
    const [width, height] = ["width", "height"].map((key) => escape(node.getAttribute(key) ?? ""));
    const { alt, dataset: { src } } = node;
    return src ? `<img src="${escape(src)}" alt="${escape(alt)}" width="${width}" height="${height}">` : "";
  }
  if (!KEPT.has(name)) return inner;
  const href = name === "a" ? ` href="${escape(node.getAttribute("href") ?? "")}"` : "";
  return `<${name}${href}>${inner}</${name}>`;
};

const isBlank = (area) => !area.textContent.trim() && !area.querySelector("img");

export const htmlOf = (area) => (isBlank(area) ? "" : [...area.childNodes].map(write).join(""));
