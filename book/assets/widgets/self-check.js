// Makes a choice of a self-check's folds: choose an option and read at once why it is right or wrong.
(function () {
  "use strict";

  let lastId = 0;

  /** The children of a fold's summary become a radio button's label, its reason an answer. */
  function optionOf(fold, group, answer) {
    const input = document.createElement("input");
    Object.assign(input, { type: "radio", name: group });
    const label = document.createElement("label");
    const text = document.createElement("span");
    text.append(...fold.querySelector("summary").childNodes);
    label.append(input, text);
    const reason = fold.querySelector(".check-reason");
    reason.hidden = true;
    answer.append(reason);
    input.addEventListener("change", () => {
      for (const other of answer.children) other.hidden = other !== reason;
      answer.dataset.verdict = fold.dataset.verdict;
      label.dataset.verdict = fold.dataset.verdict;
    });
    return label;
  }

  for (const check of document.querySelectorAll(".self-check")) {
    lastId += 1;
    const question = check.querySelector(".admonition-title");
    question.id ||= `self-check-${lastId}`;
    const group = document.createElement("div");
    group.className = "check-options";
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-labelledby", question.id);
    const answer = document.createElement("div");
    answer.className = "check-answer";
    answer.setAttribute("role", "status");
    for (const fold of check.querySelectorAll(".check-option")) {
      group.append(optionOf(fold, question.id, answer));
      fold.remove();
    }
    question.after(group, answer);
  }
})();
