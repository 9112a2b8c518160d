// The page of a public query: lines are taken away and fields change places at once, colours are chosen beside their
// lines, and the point of a picture that stays in view is seen while it is chosen. All of that is saved by the button of
// its part; without scripts the server does the same.

const changed = (element) => element.dispatchEvent(new Event("input", { bubbles: true }));

// Lines.

const remove = (button) => {
  const line = button.closest(button.dataset.remove);
  const list = line.parentElement;
  const alike = list.querySelectorAll(`:scope > ${button.dataset.remove}`);
  // The server says why the last one has to stay.
  if (alike.length < 2) return false;
  const beside = line.previousElementSibling?.matches(".query-and") ? line.previousElementSibling : line.nextElementSibling;
  if (beside?.matches(".query-and")) beside.remove();
  const next = [...alike].find((other) => other !== line && other.compareDocumentPosition(line) & 2) ?? alike[0];
  const form = line.closest("form");
  line.remove();
  (next === line ? alike[1] : next).querySelector("select").focus();
  changed(form);
  return true;
};

for (const button of document.querySelectorAll("button[data-remove]")) {
  button.addEventListener("click", (event) => {
    if (remove(button)) event.preventDefault();
  });
}

// Fields that are shown.

const shownRows = (list) => [...list.children].filter((row) => row.querySelector(".column-tick > input").checked);

const showEnds = (list) => {
  const rows = shownRows(list);
  for (const row of list.children) {
    const at = rows.indexOf(row);
    row.querySelector("[data-move=up]").disabled = at < 1;
    row.querySelector("[data-move=down]").disabled = at < 0 || at + 1 >= rows.length;
  }
};

const move = (button) => {
  const row = button.closest("[data-shown]");
  const list = row.parentElement;
  const rows = shownRows(list);
  const isUp = button.dataset.move === "up";
  const other = rows[rows.indexOf(row) + (isUp ? -1 : 1)];
  if (!other) return;
  if (isUp) other.before(row);
  else other.after(row);
  showEnds(list);
  const own = row.querySelector(`[data-move=${button.dataset.move}]`);
  (own.disabled ? row.querySelector("[data-move]:not(:disabled)") : own)?.focus();
  changed(row);
};

for (const list of document.querySelectorAll(".shown-fields > ol")) {
  list.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-move]");
    if (!button) return;
    event.preventDefault();
    move(button);
  });
  list.addEventListener("change", () => showEnds(list));
}

// Colours.

for (const pick of document.querySelectorAll(".query-look [data-picks]")) {
  const line = document.getElementById(pick.dataset.picks);
  pick.addEventListener("input", () => {
    line.value = pick.value.toUpperCase();
    changed(line);
  });
  line.addEventListener("input", () => {
    if (/^#[0-9a-f]{6}$/iu.test(line.value.trim())) pick.value = line.value.trim();
  });
}

// The point of the picture.

const enhanceFocal = (box) => {
  const picture = box.querySelector("img");
  const sliders = [...box.querySelectorAll("[data-slides]")];
  const lines = sliders.map((slider) => document.getElementById(slider.dataset.slides));
  const show = () => {
    const at = lines.map((line) => {
      const percent = Number(line.value.trim().replace(",", "."));
      return line.value.trim() !== "" && percent >= 0 && percent <= 100 ? percent : 50;
    });
    picture.style.objectPosition = `${at[0]}% ${at[1]}%`;
    for (const [place, slider] of sliders.entries()) slider.value = String(at[place]);
  };
  for (const [place, slider] of sliders.entries()) {
    slider.addEventListener("input", () => {
      lines[place].value = slider.value;
      show();
    });
    lines[place].addEventListener("input", show);
  }
  for (const button of box.querySelectorAll("button[value^='point:']")) {
    button.addEventListener("click", (event) => {
      event.preventDefault();
      const [, ...percents] = button.value.split(":");
      for (const [place, line] of lines.entries()) line.value = percents[place];
      show();
      changed(box);
    });
  }
  show();
};

for (const box of document.querySelectorAll("[data-focal]")) enhanceFocal(box);

// A picture is sent as soon as it is chosen.

for (const box of document.querySelectorAll(".query-look [data-upload]")) {
  const file = box.querySelector("[type=file]");
  box.dataset.live = "";
  file.addEventListener("change", () => {
    if (file.files.length) file.form.requestSubmit();
  });
}
