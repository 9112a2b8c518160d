// The page of an entry: the keys to its neighbours and to its controls.
import { isText } from "./keys.js";

const edit = [...document.links].find((link) => link.pathname === `${location.pathname}/edit`);

const keys = {
  "[": document.querySelector('.pager a[rel="prev"]'),
  "]": document.querySelector('.pager a[rel="next"]'),
  e: edit,
};

addEventListener("keydown", (event) => {
  if (isText(event) || event.target.closest?.("dialog") || !Object.hasOwn(keys, event.key)) return;
  keys[event.key]?.click();
});
