// Labelled native inputs, outputs and tables, from which the widgets are made.
(function (glyphlab) {
  "use strict";

  const QUIET = 300; // milliseconds without a change after which the sentence is said
  const TYPED = 1500; // and after which what is typed is taken to be whole
  let lastId = 0;

  /** An element with attributes (on… are listeners) and children (nodes or text). */
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value === true) made.setAttribute(name, "");
      else if (value !== false && value !== undefined) made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  function newId() {
    lastId += 1;
    return `widget-control-${lastId}`;
  }

  /**
   * A slider; `describe(value)` is what it shows and what a screen reader says. `set` shows the
   * value that it is given, which need not be a step of the slider, or the text beside it.
   */
  function slider({ name, label, min, max, step, value, describe, change }) {
    const id = newId();
    const shown = element("span", { class: "widget-value", "aria-hidden": "true" });
    const input = element("input", { type: "range", id, name, min, max, step });
    function show(text) {
      shown.textContent = text;
      input.setAttribute("aria-valuetext", shown.textContent);
    }
    function set(next, text = describe(next)) {
      input.value = next;
      show(text);
    }
    input.addEventListener("input", () => {
      show(describe(Number(input.value)));
      change(Number(input.value));
    });
    set(value);
    const root = element("div", { class: "widget-slider" },
      element("label", { for: id }, label), shown, input);
    return { root, set };
  }

  /**
   * A field for a number; what is not one between min and max is marked and not used, and the
   * complaint says what is. `spoken` names the field where the label alone would not.
   */
  function numberField({ name, label, spoken, min, max, step = "any", value, change }) {
    const id = newId();
    const input = element("input", {
      type: "number", id, name, min, max, step, required: true, "aria-label": spoken,
      "aria-describedby": `${id}-complaint`, inputmode: step === 1 ? "numeric" : "decimal",
    });
    const complaint = element("span", { class: "widget-complaint", id: `${id}-complaint`,
      "aria-live": "polite" });
    const wanted = `${spoken ?? label}: ${step === 1 ? "a whole number" : "a number"} from ${min} to ${max}`;
    let used;
    let timer;
    function set(next) {
      // What says it already stays: it may be half typed, as the "2." of 2.5.
      if (input.value === "" || Number(input.value) !== next) input.value = next;
      use(next);
    }
    function use(next) {
      clearTimeout(timer);
      used = next;
      input.removeAttribute("aria-invalid");
      complaint.textContent = "";
    }
    function complain() {
      clearTimeout(timer);
      if (input.checkValidity()) return;
      input.setAttribute("aria-invalid", "true");
      const text = `${wanted}; ${used}, the last valid one, is used`;
      if (complaint.textContent !== text) complaint.textContent = text;
    }
    input.addEventListener("input", () => {
      if (input.checkValidity()) {
        use(Number(input.value));
        change(used);
        return;
      }
      clearTimeout(timer);
      timer = setTimeout(complain, TYPED); // "0." may become 0.75
    });
    input.addEventListener("change", complain);
    set(value);
    const root = element("div", { class: "widget-number" },
      element("label", { for: id }, label), input, complaint);
    return { root, complaint, set, value: () => used };
  }

  /** A group of radio buttons; `options` are [value, label] pairs. */
  function choice({ name, legend, options, value, change }) {
    const group = newId();
    const root = element("fieldset", { class: "widget-choice" }, element("legend", {}, legend));
    for (const [option, label] of options) {
      const input = element("input", {
        type: "radio", name: `${name}-${group}`, value: option, checked: option === value,
        onchange: () => change(option),
      });
      root.append(element("label", {}, input, element("span", {}, label)));
    }
    return { root };
  }

  /** A list to choose from; `options` are [value, label] pairs. */
  function list({ name, label, options, value, change }) {
    const id = newId();
    const input = element("select", { id, name, onchange: () => change(input.value) });
    for (const [option, text] of options) {
      input.append(element("option", { value: option, selected: option === value }, text));
    }
    const root = element("div", { class: "widget-list" },
      element("label", { for: id }, label), input);
    return { root, set: (next) => { input.value = next; } };
  }

  function button(label, click, attributes = {}) {
    return element("button", { type: "button", onclick: click, ...attributes }, label);
  }

  /** A checkbox. */
  function tick({ name, label, change }) {
    const input = element("input", { type: "checkbox", name,
      onchange: () => change(input.checked) });
    return { root: element("label", { class: "widget-tick" }, input, element("span", {}, label)) };
  }

  /** A temperature by slider and by number. Equal steps of log T: doubling and halving are equally far. */
  function temperature({ low, high, steps, change }) {
    const knob = slider({
      name: "temperature", label: "Temperature T", min: Math.log(low), max: Math.log(high),
      step: Math.log(high / low) / steps / 2, value: 0, describe: (u) => number(Math.exp(u), 3),
      change: (u) => change(Math.exp(u), knob),
    });
    const exact = numberField({ name: "exact", label: "or exactly",
      spoken: "Temperature T, or exactly", min: low, max: high, value: 1,
      change: (value) => change(value, exact) });
    /** Show T, but not on the one of the two that it comes from. */
    function set(T, from) {
      if (from !== knob) knob.set(Math.log(T));
      if (from !== exact) exact.set(Number(T.toFixed(6)));
    }
    return { roots: [knob.root, exact.root], set };
  }

  /** Named results: `set({name: text})` fills the outputs. Silent: the sentence speaks. */
  function results(entries) {
    const outputs = {};
    const root = element("div", { class: "widget-results" });
    for (const [name, label] of Object.entries(entries)) {
      const id = newId();
      outputs[name] = element("output", { id, "data-name": name, "aria-live": "off" });
      root.append(element("div", {}, element("label", { for: id }, label), outputs[name]));
    }
    function set(texts) {
      for (const [name, text] of Object.entries(texts)) outputs[name].textContent = text;
    }
    return { root, set };
  }

  /** A table in a box that scrolls. A cell is text, or {text, name} to be found by its name. */
  function table(caption, header, { folded = false } = {}) {
    const body = element("tbody");
    const scope = (text) => element("th", { scope: "col" }, text);
    const title = folded ? [] : [element("caption", {}, element("span", {}, caption))];
    const made = element("table", { class: "table" }, ...title,
      element("thead", {}, element("tr", {}, ...header.map(scope))), body);
    const box = element("div", {
      class: "table-scroll", role: "region", tabindex: "0", "aria-label": caption,
    }, made);
    const root = folded
      ? element("details", { class: "widget-numbers" }, element("summary", {}, caption), box)
      : box;
    function cell(content, j) {
      const { text, name } = typeof content === "object" ? content : { text: content };
      return j === 0
        ? element("th", { scope: "row" }, text)
        : element("td", { "data-name": name }, text);
    }
    function set(rows) {
      body.replaceChildren(...rows.map((row) => element("tr", {}, ...row.map(cell))));
    }
    return { root, set };
  }

  /** The sentence that answers a change, said once the reader has stopped moving things. */
  function sentence() {
    const root = element("p", { class: "widget-sentence" });
    let timer;
    function say(text) {
      clearTimeout(timer);
      if (!root.textContent) {
        // The first is read where it stands; what follows is said.
        root.textContent = text;
        root.setAttribute("role", "status");
        root.setAttribute("aria-live", "polite");
        return;
      }
      timer = setTimeout(() => {
        if (root.textContent !== text) root.textContent = text;
      }, QUIET);
    }
    return { root, say };
  }

  /** Numbers as the course writes them; a minus is a minus. */
  function number(value, places) {
    if (Number.isNaN(value)) return "undefined";
    return value.toFixed(places).replace("-", "−");
  }

  glyphlab.controls = Object.freeze({
    button, choice, element, list, number, numberField, results, sentence, slider, table, temperature,
    tick,
  });
})((window.glyphlab ??= {}));
