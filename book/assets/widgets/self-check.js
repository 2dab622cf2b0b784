// Makes a choice of a self-check's folds: choose an option and read at once why it is right or wrong.
(function () {
  "use strict";

  const REST = 2500; // milliseconds after which an option that an arrow key came to is meant
  let lastId = 0;

  /** The children of a fold's summary become a radio button's label, its reason an answer. */
  function optionOf(fold, group, answer) {
    lastId += 1;
    const input = document.createElement("input");
    Object.assign(input, { type: "radio", name: group });
    const label = document.createElement("label");
    label.id = `self-check-option-${lastId}`;
    input.setAttribute("aria-labelledby", label.id); // a label alone leaves its formulas out of the name
    const text = document.createElement("span");
    text.append(...fold.querySelector("summary").childNodes);
    label.append(input, text);
    const reason = fold.querySelector(".check-reason");
    reason.hidden = true;
    answer.append(reason);
    function judge() {
      for (const other of answer.children) other.hidden = other !== reason;
      answer.dataset.verdict = fold.dataset.verdict;
      label.dataset.verdict = fold.dataset.verdict;
    }
    return { input, label, judge };
  }

  /** Arrow keys choose what they pass: such an option is judged when it is pressed or rested on. */
  function judgeChoices(group, answer, options) {
    let passing = false;
    let timer;
    function forget() {
      for (const reason of answer.children) reason.hidden = true;
      delete answer.dataset.verdict;
    }
    group.addEventListener("keyup", () => { passing = false; });
    group.addEventListener("keydown", ({ key }) => {
      passing = key.startsWith("Arrow");
      if (key !== " " && key !== "Enter") return;
      clearTimeout(timer);
      options.find(({ input }) => input.checked)?.judge();
    });
    for (const { input, judge } of options) {
      input.addEventListener("change", () => {
        clearTimeout(timer);
        forget();
        timer = setTimeout(judge, passing ? REST : 0);
      });
    }
  }

  for (const [i, check] of document.querySelectorAll(".self-check").entries()) {
    const question = check.querySelector(".admonition-title");
    question.id ||= `self-check-${i + 1}`;
    const group = document.createElement("div");
    group.className = "check-options";
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-labelledby", question.id);
    const answer = document.createElement("div");
    answer.className = "check-answer";
    answer.setAttribute("role", "status");
    const options = [...check.querySelectorAll(".check-option")].map((fold) => {
      const option = optionOf(fold, question.id, answer);
      group.append(option.label);
      fold.remove();
      return option;
    });
    judgeChoices(group, answer, options);
    question.after(group, answer);
  }
})();
