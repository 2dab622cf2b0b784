// One temperature over two sets: chosen on validation, then looked at on the test set.
(function (glyphlab) {
  "use strict";

  const { button, choice, element, number, sentence, table, temperature, tick } =
    glyphlab.controls;
  const { chart, colours, legend } = glyphlab.charts;
  const { accuracy, brierScore, confidenceAndCorrectness, expectedCalibrationError, logLoss,
    optimalTemperature, softmax } = glyphlab.metrics;

  const [LOW, HIGH, STEPS, BINS] = [0.25, 4, 160, 5];
  const MEASURES = {
    loss: ["log loss", 6, (set, T) => logLoss(set.logits, set.labels, T)],
    brier: ["Brier score", 6, (set, T) => brierScore(softmax(set.logits, T), set.labels)],
    ece: ["ECE", 4, (set, T) => {
      const { confidence, correct } = confidenceAndCorrectness(set.logits, set.labels, T);
      return expectedCalibrationError(confidence, correct, BINS, "left");
    }],
  };

  function start(root, data) {
    const single = (set) => ({ labels: set.labels, logits: set.logits.map((z) => z.map(Math.fround)) });
    const sets = { validation: single(data.validation), test: single(data.test) };
    const best = optimalTemperature(sets.validation.logits, sets.validation.labels);
    const grid = Array.from({ length: STEPS + 1 }, (_, i) => LOW * (HIGH / LOW) ** (i / STEPS));
    const curves = {};
    let [T, measure, opened] = [1, "loss", false];

    const knob = temperature({ low: LOW, high: HIGH, steps: STEPS, change: set });
    const which = choice({
      name: "measure", legend: "Curve of", value: measure,
      options: Object.entries(MEASURES).map(([name, [label]]) => [name, label]),
      change: (name) => { measure = name; update(); },
    });
    const open = tick({ name: "open", label: "Open the test set",
      change: (checked) => { opened = checked; update(); } });
    const shown = table("Both sets at this temperature, and at T = 1",
      ["set", "log loss", "Brier score", "ECE, five bins", "accuracy"]);
    const answer = sentence();
    const picture = chart((width) => draw(width, { T, best, measure, opened, sets,
      curve: curve(measure) }));
    root.append(
      element("div", { class: "widget-controls" }, ...knob.roots, which.root),
      element("div", { class: "widget-buttons" }, button("T = 1", () => set(1)),
        button("T* of validation", () => set(best)), open.root),
      answer.root, picture.root,
      legend([[colours.first, "━ ●", "validation"], [colours.second, "╍ ▲", "test"],
        [colours.quiet, "┊", "T* of validation"]]),
      shown.root);

    function curve(name) {
      curves[name] ??= Object.keys(sets).flatMap((set) =>
        grid.map((t) => ({ set, T: t, y: MEASURES[name][2](sets[set], t) })));
      return curves[name];
    }

    function set(next, from) {
      T = next;
      knob.set(T, from);
      update();
    }

    function row(name, t, prefix) {
      const values = Object.entries(MEASURES).map(([key, [, places, f]]) => ({
        text: number(f(sets[name], t), places), name: `${prefix}-${key}` }));
      const right = accuracy(sets[name].logits.map((z) => z.map((v) => v / t)), sets[name].labels);
      return [...values, { text: number(right, 4), name: `${prefix}-accuracy` }];
    }

    function update() {
      const rows = [["validation, T = 1", ...row("validation", 1, "validation-one")],
        [`validation, T = ${number(T, 3)}`, ...row("validation", T, "validation")]];
      if (opened) {
        rows.push(["test, T = 1", ...row("test", 1, "test-one")],
          [`test, T = ${number(T, 3)}`, ...row("test", T, "test")]);
      }
      shown.set(rows);
      picture.redraw();
      answer.say(say(T, { best, measure, opened, sets }));
    }

    update();
  }

  function draw(width, { T, best, measure, opened, sets, curve }) {
    const [label, places, f] = MEASURES[measure];
    const of = (set) => curve.filter((point) => point.set === set);
    const at = (set) => ({ T, y: f(sets[set], T) });
    const here = { validation: at("validation"), test: at("test") };
    return {
      words: `${label} against temperature. At T ${number(T, 3)} it is `
        + `${number(here.validation.y, places)} on validation${opened
          ? ` and ${number(here.test.y, places)} on test` : "; the test set is closed"}. `
        + `T* of validation is ${number(best, 4)}.`,
      height: 260, marginLeft: 48,
      x: { type: "log", domain: [LOW, HIGH], ticks: [0.25, 0.5, 1, 2, 4], tickFormat: (d) => `${d}`,
        label: "T" },
      y: { domain: [0, Math.max(...curve.map((d) => d.y)) * 1.05], grid: true, ticks: 5, label },
      marks: [
        Plot.ruleX([best], { stroke: colours.quiet, strokeWidth: 2, strokeDasharray: "2 4" }),
        Plot.ruleX([T], { stroke: colours.quiet, strokeWidth: 2 }),
        Plot.lineY(of("validation"), { x: "T", y: "y", stroke: colours.first, strokeWidth: 2.5 }),
        Plot.dot([here.validation], { x: "T", y: "y", r: 6, fill: colours.first }),
        ...(opened ? [
          Plot.lineY(of("test"), { x: "T", y: "y", stroke: colours.second, strokeWidth: 2.5,
            strokeDasharray: "7 4" }),
          Plot.dot([here.test], { x: "T", y: "y", r: 6, symbol: "triangle", fill: colours.second }),
        ] : []),
      ],
    };
  }

  function say(T, { best, measure, opened, sets }) {
    const loss = (name, t) => logLoss(sets[name].logits, sets[name].labels, t);
    const values = [...new Set(["loss", measure])].map((name) => {
      const [label, places, f] = MEASURES[name];
      return `${label} ${number(f(sets.validation, T), places)}${opened
        ? ` on validation, ${number(f(sets.test, T), places)} on test` : " on validation"}`;
    }).join("; ");
    return `At T = ${number(T, 3)}: ${values}. ${verdict(T, { best, opened, loss })}`;
  }

  function verdict(T, { best, opened, loss }) {
    const [val, valOne] = [loss("validation", T), loss("validation", 1)];
    const change = val < valOne - 1e-12 ? "lower than" : val > valOne + 1e-12 ? "higher than" : "that";
    const first = number(T, 4) === number(best, 4)
      ? "No temperature has a lower log loss on validation: this is the choice that the data allow. "
      : `On validation the log loss is ${change}${change === "that" ? " of" : " at"} T = 1, and least at `
        + `T = ${number(best, 4)}. `;
    if (!opened) return `${first}Choose before you open the test set: it may be used once.`;
    const [test, testOne] = [loss("test", T), loss("test", 1)];
    return `${first}${onTest(val - valOne, test - testOne)} The accuracies do not move at any T.`;
  }

  /** What the test set says to it, given how much both losses rise. */
  function onTest(valRise, testRise) {
    if (Math.abs(testRise) < 1e-12) return "On the test set nothing has changed yet.";
    const verb = testRise > 0 ? "raises" : "lowers";
    if (valRise > 0 === testRise > 0) return `On the test set it ${verb} the log loss as well.`;
    const apart = `On the test set it ${verb} the log loss all the same: sixty images are few, and the two `
      + "sets need not agree.";
    return testRise > 0 ? apart : `${apart} You know that this T suits the test images from looking: as a `
      + "choice it would be worth nothing.";
  }

  (glyphlab.widgets ??= {})["temperature-sets"] = start;
})((window.glyphlab ??= {}));
