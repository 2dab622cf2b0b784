// Cells of a confusion matrix to edit, and every metric of chapter 23.1 in the three conventions.
(function (glyphlab) {
  "use strict";

  const { button, element, list, number, numberField, sentence, table } = glyphlab.controls;
  const { chart, colours, legend } = glyphlab.charts;
  const { cellCounts, coreMetrics, sum, zeroDenominators } = glyphlab.metrics;

  const MOST = 999;
  const NAMES = { precision: "precision", recall: "recall", f1: "F1" };
  const copy = (C) => C.map((row) => [...row]);
  const transposed = (C) => C[0].map((_, j) => C.map((row) => row[j]));
  const share = (value) => number(value, 4);

  function start(root, data) {
    let C = copy(data.presets[0].cells);
    let before = { name: data.presets[0].name, cells: copy(C) };
    let turned = false;

    const grid = makeGrid(C.length, (i, j, value) => {
      C[i][j] = value;
      update();
    });
    const presets = list({
      name: "preset", label: "Start from",
      options: data.presets.map(({ name, label }) => [name, label]),
      value: data.presets[0].name,
      change: (name) => restart(data.presets.find((preset) => preset.name === name)),
    });
    const turn = button("Exchange the axes", () => {
      C = transposed(C);
      turned = !turned;
      update(turned ? "The axes are exchanged" : "The axes are as at the start");
    });
    const again = button("Back to the start", () => restart({ ...before, cells: before.cells }));
    const classes = table("One class against the rest", ["class", "TP", "FP", "FN", "TN",
      "precision", "recall", "F1"]);
    const averages = table("Averages in the three conventions", ["average", "omit", "zero", "raise"]);
    const answer = sentence();
    const picture = chart((width) => draw(width, C, before.cells));

    root.append(
      element("div", { class: "widget-columns" },
        element("div", {}, presets.root, grid.root,
          element("div", { class: "widget-buttons" }, turn, again)),
        element("div", {}, picture.root,
          legend([[colours.quiet, "○", "at the start"], [colours.first, "●", "now, omit"],
            [colours.second, "▲", "now, zero"]]),
          answer.root)),
      averages.root,
      classes.root,
    );

    function restart(preset) {
      before = { name: preset.name, cells: copy(preset.cells) };
      C = copy(preset.cells);
      turned = false;
      update();
    }

    function update(done = "") {
      grid.set(C);
      if (sum(C.map(sum)) === 0) {
        averages.set([["accuracy", "no samples", "no samples", "no samples"]]);
        classes.set([]);
        picture.redraw();
        answer.say("The matrix is empty: with no samples there is nothing to measure.");
        return;
      }
      averages.set(averageRows(C));
      classes.set(classRows(C));
      picture.redraw();
      const text = say(C, before.cells);
      answer.say(done && !text.startsWith(done) ? `${done}. ${text}` : text);
    }

    update();
  }

  /** Fields for the cells, with the sums of rows and columns beside them. */
  function makeGrid(K, change) {
    const fields = [];
    const supports = [];
    const called = [];
    // A cell is too narrow for a complaint: all stand below the grid.
    const complaints = element("div");
    const body = element("tbody");
    for (let i = 0; i < K; i += 1) {
      const row = element("tr", {}, element("th", { scope: "row" }, `true ${i}`));
      fields.push([]);
      for (let j = 0; j < K; j += 1) {
        const field = numberField({
          name: `cell-${i}-${j}`, label: `true ${i}, called ${j}`,
          min: 0, max: MOST, step: 1, value: 0, change: (value) => change(i, j, value),
        });
        fields[i].push(field);
        complaints.append(field.complaint);
        const step = (by, sign) => button(sign, () => {
          change(i, j, Math.min(MOST, Math.max(0, field.value() + by)));
        }, { tabindex: "-1" });
        // The field itself steps by arrow keys; these are for fingers and the mouse.
        const steps = element("span", { class: "widget-steps", "aria-hidden": "true" },
          step(-1, "−"), step(1, "+"));
        row.append(element("td", { class: i === j ? "right" : "" }, field.root, steps));
      }
      supports.push(element("td", { class: "sum" }));
      row.append(supports[i]);
      body.append(row);
    }
    const last = element("tr", {}, element("th", { scope: "row" }, "sum"));
    for (let j = 0; j <= K; j += 1) {
      called.push(element("td", { class: "sum" }));
      last.append(called[j]);
    }
    body.append(last);
    const heads = Array.from({ length: K }, (_, j) => element("th", { scope: "col" }, `called ${j}`));
    const grid = element("table", { class: "widget-matrix" },
      element("caption", {}, "Rows are the truth, columns what was said"),
      element("thead", {}, element("tr", {}, element("td"), ...heads,
        element("th", { scope: "col" }, "sum"))), body);

    function set(C) {
      C.forEach((row, i) => {
        const support = sum(row);
        supports[i].textContent = support;
        row.forEach((value, j) => {
          fields[i][j].set(value);
          const part = support ? Math.round((70 * value) / support) : 0;
          fields[i][j].root.parentElement.style.setProperty("--share", `${part}%`);
        });
      });
      transposed(C).forEach((column, j) => { called[j].textContent = sum(column); });
      called[K].textContent = sum(C.map(sum));
    }

    return { root: element("div", {}, grid, complaints), set };
  }

  function classRows(C) {
    const zero = zeroDenominators(C);
    const { perClass } = coreMetrics(C, "omit");
    const why = (i) => [
      ...(zero.precision.includes(i) ? ["never called"] : []),
      ...(zero.recall.includes(i) ? ["no samples"] : []),
    ].join(", ");
    return cellCounts(C).map((cells, i) => [
      `${i}`, ...["tp", "fp", "fn", "tn"].map((name) => ({ text: `${cells[name]}`,
        name: `${name}-${i}` })),
      ...Object.keys(NAMES).map((name) => {
        const value = perClass[name][i];
        const reason = name === "f1" || !Number.isNaN(value) ? why(i)
          : name === "precision" ? "never called" : "no samples";
        const text = Number.isNaN(value) ? `undefined (${reason})` : share(value);
        return { text, name: `${name}-${i}` };
      }),
    ]);
  }

  function averageRows(C) {
    const byConvention = ["omit", "zero", "raise"].map((name) => [name, coreMetrics(C, name)]);
    const cell = (key, show) => byConvention.map(([convention, metrics]) => ({
      text: metrics ? show(metrics, convention) : "an error",
      name: `${key}-${convention}`,
    }));
    const macro = (name) => cell(`macro_${name}`, (metrics, convention) => {
      const over = metrics.averaged[name];
      const note = convention === "omit" && over < C.length ? ` (over ${over} of ${C.length})` : "";
      return share(metrics[`macro_${name}`]) + note;
    });
    // The accuracy has one denominator, N, and is the same in every convention.
    const accuracy = byConvention.map(([convention]) => ({
      text: share(coreMetrics(C, "omit").accuracy), name: `accuracy-${convention}` }));
    return [
      ["accuracy = all micro values", ...accuracy],
      ...Object.keys(NAMES).map((name) => [`macro ${NAMES[name]}`, ...macro(name)]),
    ];
  }

  function draw(width, C, start) {
    if (sum(C.map(sum)) === 0) return null;
    const [omit, zero, old] = [coreMetrics(C, "omit"), coreMetrics(C, "zero"), coreMetrics(start, "omit")];
    const rows = [["accuracy", "accuracy"], ["macro_precision", "macro precision"],
      ["macro_recall", "macro recall"], ["macro_f1", "macro F1"]];
    const points = rows.map(([key, label]) => ({ label, omit: omit[key], zero: zero[key],
      old: old[key] })).map((p) => ({ ...p, apart: !(Math.abs(p.omit - p.zero) < 1e-9) }));
    const defined = (name) => points.filter((point) => !Number.isNaN(point[name]));
    const words = points.map(({ label, omit: now, zero: other, old: then, apart }) =>
      `${label} ${share(now)}${apart ? `, in convention zero ${share(other)}` : ""}, `
      + `at the start ${share(then)}`).join("; ");
    return {
      words: `Four averages between 0 and 1. ${words}.`,
      height: 220, marginLeft: 112,
      x: { domain: [0, 1], grid: true, ticks: 5, label: null },
      y: { domain: rows.map(([, label]) => label), label: null, tickSize: 0 },
      marks: [
        Plot.ruleX([0]),
        Plot.link(defined("old").filter((p) => !Number.isNaN(p.omit)),
          { x1: "old", x2: "omit", y1: "label", y2: "label", stroke: colours.quiet, strokeWidth: 3 }),
        Plot.dot(defined("old"), { x: "old", y: "label", r: 6, stroke: colours.quiet, strokeWidth: 2,
          fill: "var(--widget-ground)" }),
        Plot.dot(defined("zero").filter((p) => p.apart), { x: "zero", y: "label", r: 6,
          symbol: "triangle", fill: colours.second }),
        Plot.dot(defined("omit"), { x: "omit", y: "label", r: 6, fill: colours.first }),
        Plot.text(defined("omit"), { x: "omit", y: "label", dy: -15,
          text: (point) => share(point.omit) }),
      ],
    };
  }

  /** What the state shows, and whether the task is solved. */
  function say(C, start) {
    const [now, then] = [coreMetrics(C, "omit"), coreMetrics(start, "omit")];
    const zero = zeroDenominators(C);
    const values = `Accuracy is ${share(now.accuracy)}, macro recall ${share(now.macro_recall)}, macro `
      + `precision ${share(now.macro_precision)}.`;
    if (C.every((row, i) => row.every((value, j) => value === start[i][j]))) {
      const rare = zero.precision.filter((i) => !zero.recall.includes(i));
      return rare.length
        ? `Nothing is ever called ${rare.join(" or ")}, so precision has no denominator there, and the `
          + `three conventions part. ${values} Change a cell and watch which averages move.`
        : `Every class is present and is called at least once: the three conventions agree. ${values} `
          + "Change a cell and watch which averages move.";
    }
    const accuracy = moved("accuracy", C, start, "omit");
    const recall = moved("macro_recall", C, start, "omit");
    if (C.every((row, i) => row.every((value, j) => value === start[j][i]))) {
      return "The axes are exchanged: precision and recall have changed places, and accuracy and every "
        + `F1 did not move. A report of these alone would not show the mistake. ${values}`;
    }
    if (accuracy === 0 && recall < 0) {
      const why = `${C.map(sum)}` === `${start.map(sum)}`
        ? "The same number of decisions is right, but a class with few samples pays more for each error."
        : "The classes have other numbers of samples than at the start.";
      return `You found one: the accuracy is still ${share(now.accuracy)}, and macro recall fell from `
        + `${share(then.macro_recall)} to ${share(now.macro_recall)}. ${why}`;
    }
    const macro = [C, start].some(hasZeroDenominator)
      ? `. In omit ${macroChanges(C, start, "omit")}; in zero ${macroChanges(C, start, "zero")}`
      : `, ${macroChanges(C, start, "omit")}`;
    return `Against the start: ${changeOf("accuracy", C, start, "omit")}${macro}. ${conventions(C)}`;
  }

  /** 1, 0 or -1 as a value rose, stayed or fell; NaN where it was or is undefined. */
  function moved(key, C, start, convention) {
    const difference = coreMetrics(C, convention)[key] - coreMetrics(start, convention)[key];
    return Math.abs(difference) < 1e-12 ? 0 : Math.sign(difference);
  }

  function changeOf(key, C, start, convention) {
    const verb = { "1": "rose to", "-1": "fell to", "0": "stayed at", NaN: "is now" };
    return `${key.replace("_f1", " F1").replace("_", " ")} ${verb[moved(key, C, start, convention)]} `
      + `${share(coreMetrics(C, convention)[key])}`;
  }

  function macroChanges(C, start, convention) {
    const [recall, precision, f1] = ["macro_recall", "macro_precision", "macro_f1"]
      .map((key) => changeOf(key, C, start, convention));
    return `${recall}, ${precision} and ${f1}`;
  }

  function hasZeroDenominator(C) {
    const { precision, recall } = zeroDenominators(C);
    return precision.length + recall.length > 0;
  }

  function conventions(C) {
    if (!hasZeroDenominator(C)) return "No denominator is zero: the three conventions agree now.";
    const [omitted, zeroed] = ["omit", "zero"].map((convention) => coreMetrics(C, convention));
    const part = ["macro_precision", "macro_recall", "macro_f1"]
      .some((key) => !(Math.abs(omitted[key] - zeroed[key]) < 1e-12)); // NaN parts from a number
    return part ? "A denominator is zero, so omit and zero part, and raise stops with an error."
      : "A denominator is zero, so raise stops with an error; omit and zero agree only because all that "
        + "is defined is 0.";
  }

  (glyphlab.widgets ??= {})["confusion-editor"] = start;
})((window.glyphlab ??= {}));
