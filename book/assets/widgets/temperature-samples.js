// One temperature over a few samples: their probabilities, and two losses against T.
(function (glyphlab) {
  "use strict";

  const { button, element, number, results, sentence, table, temperature } =
    glyphlab.controls;
  const { chart, colours, legend } = glyphlab.charts;
  const { argmax, brierScore, logLoss, losses, minimum, optimalTemperature, softmax } =
    glyphlab.metrics;

  const [LOW, HIGH, STEPS] = [0.2, 5, 160];
  const SIGNS = ["■", "▲", "●"];
  const near = (a, b) => Math.abs(Math.log(a / b)) < 0.02;

  function start(root, { logits, labels }) {
    const best = optimalTemperature(logits, labels);
    const brierAt = (T) => brierScore(softmax(logits, T), labels);
    const bestBrier = minimum(brierAt, LOW, HIGH);
    const curve = Array.from({ length: STEPS + 1 }, (_, i) => LOW * (HIGH / LOW) ** (i / STEPS))
      .map((T) => ({ T, loss: logLoss(logits, labels, T), brier: brierAt(T) }));
    let T = 1;

    const knob = temperature({ low: LOW, high: HIGH, steps: STEPS, change: set });
    const buttons = element("div", { class: "widget-buttons" },
      button("T = 1", () => set(1)), button("Least log loss", () => set(best)),
      button("Least Brier score", () => set(bestBrier)));
    const shown = results({ loss: "log loss", brier: "Brier score", accuracy: "right decisions" });
    const answer = sentence();
    const bars = chart((width) => drawBars(width, logits, labels, T));
    const lines = chart((width) => drawCurves(width, curve, { T, best, bestBrier,
      loss: logLoss(logits, labels, T), brier: brierAt(T) }));
    const numbers = table("The numbers of the bars", ["sample", "class 0", "class 1", "class 2",
      "true class", "its loss"], { folded: true });
    const ofCurves = table("The numbers of the curves", ["T", "log loss", "Brier score"],
      { folded: true });
    ofCurves.set([LOW, 0.5, best, bestBrier, 1, 1.5, 2, 3, HIGH].map((t) => [number(t, 4),
      number(logLoss(logits, labels, t), 6), number(brierAt(t), 6)]));

    root.append(
      element("div", { class: "widget-controls" }, ...knob.roots), buttons,
      answer.root,
      element("div", { class: "widget-columns" },
        element("div", {}, bars.root, legend([[colours.first, SIGNS[0], "class 0"],
          [colours.second, SIGNS[1], "class 1"], [colours.third, SIGNS[2], "class 2"]])),
        element("div", {}, lines.root, legend([[colours.first, "━", "log loss"],
          [colours.second, "╍", "Brier score"], [colours.text, "○", "the least"]]))),
      shown.root, numbers.root, ofCurves.root);

    function set(next, from) {
      T = next;
      knob.set(T, from);
      update();
    }

    function update() {
      const each = losses(logits, labels, T);
      const p = softmax(logits, T);
      const right = logits.filter((z, n) => argmax(z) === labels[n]).length;
      shown.set({ loss: number(logLoss(logits, labels, T), 6), brier: number(brierAt(T), 6),
        accuracy: `${right} of ${labels.length}` });
      numbers.set(p.map((row, n) => [`${n}`, ...row.map((q, k) => ({ text: number(q, 6),
        name: `p-${n}-${k}` })), `${labels[n]}`, { text: number(each[n], 6), name: `loss-${n}` }]));
      bars.redraw();
      lines.redraw();
      answer.say(`At T = ${number(T, 3)} the log loss is ${number(logLoss(logits, labels, T), 6)} and the `
        + `Brier score ${number(brierAt(T), 6)}. ${say(T, { best, bestBrier, each, logits, labels })}`);
    }

    update();
  }

  function drawBars(width, logits, labels, T) {
    const cells = softmax(logits, T).flatMap((row, n) => row.map((p, k) => ({
      sample: `sample ${n}`, k, p, true: labels[n] === k, chosen: argmax(logits[n]) === k })));
    const words = logits.map((_, n) => cells.slice(3 * n, 3 * n + 3).map(({ k, p }) =>
      `class ${k} ${number(p, 4)}`).join(", ")).map((text, n) =>
      `sample ${n}, truly ${labels[n]}: ${text}`).join("; ");
    const colour = [colours.first, colours.second, colours.third];
    return {
      words: `Probabilities of the three samples at this temperature. ${words}.`,
      height: 270, marginLeft: 70, marginRight: 84,
      x: { domain: [0, 1], ticks: 5, grid: true, label: "probability" },
      y: { axis: null, domain: [0, 1, 2] },
      fy: { axis: "left", label: null, padding: 0.18 },
      marks: [
        Plot.ruleX([0]),
        Plot.barX(cells, { fy: "sample", y: "k", x: "p", fill: (d) => colour[d.k] }),
        Plot.text(cells, { fy: "sample", y: "k", x: "p", dx: 6, textAnchor: "start",
          fontWeight: (d) => (d.true ? 700 : 400),
          text: (d) => `${SIGNS[d.k]} ${number(d.p, 3)}${d.true ? " true" : ""}` }),
      ],
    };
  }

  function drawCurves(width, curve, now) {
    const lowest = [{ T: now.best, y: Math.min(...curve.map((d) => d.loss)) },
      { T: now.bestBrier, y: Math.min(...curve.map((d) => d.brier)) }];
    return {
      words: `Log loss and Brier score against temperature. At T ${number(now.T, 3)} the log loss is `
        + `${number(now.loss, 4)} and the Brier score ${number(now.brier, 4)}. The log loss is least at `
        + `${number(now.best, 4)}, the Brier score at ${number(now.bestBrier, 4)}.`,
      height: 270, marginLeft: 44,
      x: { type: "log", domain: [LOW, HIGH], ticks: [0.2, 0.5, 1, 2, 5], tickFormat: (d) => `${d}`,
        label: "T" },
      y: { domain: [0.2, 1.1], grid: true, ticks: 5, label: null },
      marks: [
        Plot.ruleX([now.T], { stroke: colours.quiet, strokeWidth: 2 }),
        Plot.lineY(curve, { x: "T", y: "loss", stroke: colours.first, strokeWidth: 2.5, clip: true }),
        Plot.lineY(curve, { x: "T", y: "brier", stroke: colours.second, strokeWidth: 2.5,
          strokeDasharray: "7 4" }),
        Plot.dot(lowest, { x: "T", y: "y", r: 5, stroke: "currentColor", strokeWidth: 1.5,
          fill: "var(--widget-ground)" }),
        Plot.dot([{ T: now.T, y: now.loss }].filter(({ y }) => y < 1.1),
          { x: "T", y: "y", r: 6, fill: colours.first }),
        Plot.dot([{ T: now.T, y: now.brier }], { x: "T", y: "y", r: 6, fill: colours.second }),
      ],
    };
  }

  function say(T, { best, bestBrier, each, logits, labels }) {
    const wrong = logits.findIndex((z, n) => argmax(z) !== labels[n]);
    const mistake = `sample ${wrong}, the mistake, pays ${number(each[wrong], 4)}`;
    const least = (where) => `${number(T, 4) === number(where, 4) ? "This is" : "This is nearly"} the least`;
    if (near(T, best)) {
      return `${least(best)} log loss: what sharpening would gain on the right decisions, it would `
        + `lose on the mistake. The Brier score is least elsewhere, at T = ${number(bestBrier, 4)}.`;
    }
    if (near(T, bestBrier)) {
      return `${least(bestBrier)} Brier score. The log loss is least at T = ${number(best, 4)}.`;
    }
    if (T < best) {
      const dearest = Math.max(...each.filter((_, n) => n !== wrong));
      return `Sharper than the best: each right decision pays at most ${number(dearest, 4)}, but ${mistake}, `
        + "and the mean rises as T falls. No decision has changed.";
    }
    return `Flatter than the best: ${mistake}, but the right decisions give away probability, and the `
      + "mean rises with T. No decision has changed.";
  }

  (glyphlab.widgets ??= {})["temperature-samples"] = start;
})((window.glyphlab ??= {}));
