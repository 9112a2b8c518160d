// The list of forms, worked by keys: they do what the links and the menu of a row do.
import { focusFound, turnTo, workRows } from "./rows.js";

const table = document.querySelector("table.data");

const find = focusFound(document.getElementById("name"));

if (table) {
  const current = () => list.rows[list.place.row];
  const go = (page) => {
    const address = new URL(list.links[list.place.row].href);
    address.pathname += `/${page}`;
    location.assign(address);
  };
  const trash = () => current().querySelector('form[action$="/delete"]')?.requestSubmit();
  const list = workRows(table, {
    b: () => go("build"),
    e: () => go("entries"),
    s: () => go("share"),
    n: () => document.querySelector('.page-title a[href*="/new"]')?.click(),
    m: () => current().querySelector('a[href$="/folder"]')?.click(),
    "#": trash,
    Delete: trash,
    "]": () => turnTo("next"),
    "/": find,
  });
}
