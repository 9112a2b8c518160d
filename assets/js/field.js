// Questions and their controls, for the other scripts of a form's page.

// The box of a question.
export const boxOf = (code) => document.querySelector(`.field[data-field="${CSS.escape(code)}"]`);

// Radio buttons and check boxes: `checked` is their state, and `value` what they post.
export const isCheckable = (element) => element.type === "radio" || element.type === "checkbox";
