// The columns of a file: what has to be answered and gets no column is said as it is chosen where columns go.
const missing = document.getElementById("missing");
const places = [...document.querySelectorAll("main select[name^='column.']")];

const follow = () => {
  const codes = new Set(places.map((place) => place.value.split(".")[0]));
  const questions = [...missing.querySelectorAll("[data-needs]")];
  for (const question of questions) question.hidden = codes.has(question.dataset.needs);
  missing.hidden = questions.every((question) => question.hidden);
};

if (missing) {
  for (const place of places) place.addEventListener("change", follow);
  // A browser that comes back keeps what was chosen.
  addEventListener("pageshow", follow);
}
