// A threshold over a two-class set: the four cells, precision and recall, and what it all costs.
(function (glyphlab) {
  "use strict";

  const { button, choice, element, number, numberField, results, sentence, slider, table } =
    glyphlab.controls;
  const { chart, colours, legend } = glyphlab.charts;
  const { costOf, costThreshold, decisionCells, optimalTemperature, precisionOf, recallOf, softmax,
    thresholdSweep } = glyphlab.metrics;

  const END = 8; // the axis runs from log-odds -END to END; what lies beyond is drawn at the ends
  const WIDTH = 0.5; // of a column
  const MOST_DRAWN = 45; // samples in a column; longer ones are cut
  const TICKS = [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999];
  const odds = (p) => Math.log(p / (1 - p));
  const probability = (x) => 1 / (1 + Math.exp(-x));
  const inside = (x) => Math.min(END, Math.max(-END, x));
  const places = (p) => (p < 0.01 || p > 0.99 ? 4 : 3);
  const axis = { domain: [-END, END], ticks: TICKS.map(odds), tickFormat: (x) =>
    `${Number(probability(x).toPrecision(3))}`, label: "probability of the positive class" };

  function start(root, data) {
    const single = (set) => ({ labels: set.labels, logits: set.logits.map((z) => z.map(Math.fround)) });
    const [fit, shownSet] = [single(data.fit), single(data.shown)];
    const y = shownSet.labels;
    const temperatures = { raw: 1, calibrated: optimalTemperature(fit.logits, fit.labels) };
    const models = Object.fromEntries(Object.entries(temperatures).map(([name, T]) => {
      const p = softmax(shownSet.logits, T).map((row) => row[1]);
      return [name, { T, p, sweep: thresholdSweep(p, y) }];
    }));
    let [model, tau, costs] = [models.raw, 0.5, { fp: 1, fn: 5 }];

    const knob = slider({ name: "threshold", label: "Threshold τ", min: -END, max: END, step: 0.05,
      value: 0, describe: (x) => number(probability(x), places(probability(x))),
      change: (x) => set(probability(x), knob) });
    const exact = numberField({ name: "exact", label: "or exactly",
      spoken: "Threshold τ, or exactly", min: 0, max: 1, value: tau,
      change: (value) => set(value, exact) });
    const cost = (name, label) => numberField({ name: `cost-${name}`, label, min: 0, max: 1000,
      value: costs[name], change: (value) => { costs[name] = value; update(); } });
    const which = choice({ name: "model", legend: "Probabilities", value: "raw",
      options: [["raw", "as the network says"],
        ["calibrated", `calibrated, T = ${number(temperatures.calibrated, 3)}`]],
      change: (name) => { model = models[name]; update(); } });
    const go = button("Go to τ*", () => {
      const best = costThreshold(costs.fp, costs.fn);
      if (!Number.isNaN(best)) set(best);
    });
    const half = button("τ = 0.5", () => set(0.5));
    const shown = results({ tp: "TP, found", fn: "FN, missed", fp: "FP, false alarms",
      tn: "TN, left alone", precision: "precision", recall: "recall", cost: "mean cost",
      star: "τ* of the costs", starCost: "mean cost at τ*", least: "least cost on these images" });
    const answer = sentence();
    const state = () => ({ model, tau, costs, y });
    const people = chart((width) => drawColumns(width, state()));
    const curves = chart((width) => drawCurves(width, state()));
    const bill = chart((width) => drawCost(width, state()));
    const numbers = table("The numbers of the charts, at some thresholds",
      ["threshold", "TP", "FP", "FN", "TN", "precision", "recall", "mean cost"], { folded: true });
    root.append(
      element("div", { class: "widget-controls" }, cost("fp", "Cost of a false alarm").root,
        cost("fn", "Cost of a miss").root, which.root),
      element("div", { class: "widget-controls" }, knob.root, exact.root),
      element("div", { class: "widget-buttons" }, go, half),
      people.root,
      legend([[colours.first, "■", "TP, found"], [colours.second, "□", "FN, missed"],
        [colours.third, "□", "FP, false alarms"], [colours.quiet, "■", "TN, left alone"],
        ["inherit", "↧", `columns end at ${MOST_DRAWN}`]]),
      answer.root, shown.root,
      element("div", { class: "widget-columns" },
        element("div", {}, curves.root,
          legend([[colours.first, "━", "recall"], [colours.second, "╍", "precision"]])),
        element("div", {}, bill.root,
          legend([[colours.first, "●", "here"], [colours.second, "▲", "at τ*"],
            [colours.text, "○", "the least on these images"]]))),
      numbers.root);

    function set(next, from) {
      tau = next;
      if (from !== knob) knob.set(place(tau), number(tau, places(tau)));
      if (from !== exact) exact.set(Number(tau.toPrecision(6)));
      update();
    }

    function update() {
      const cells = decisionCells(model.p, y, tau);
      const star = costThreshold(costs.fp, costs.fn);
      const price = (c) => costOf(c, costs.fp, costs.fn);
      const least = Math.min(...model.sweep.map(price));
      go.disabled = Number.isNaN(star);
      shown.set({
        ...Object.fromEntries(Object.entries(cells).map(([name, count]) => [name, `${count}`])),
        precision: number(precisionOf(cells), 4), recall: number(recallOf(cells), 4),
        cost: number(price(cells), 4), star: number(star, 4),
        starCost: Number.isNaN(star) ? "undefined"
          : number(price(decisionCells(model.p, y, star)), 4),
        least: number(least, 4),
      });
      numbers.set(TICKS.map((t) => [t, decisionCells(model.p, y, t)]).map(([t, c]) => [`${t}`,
        ...["tp", "fp", "fn", "tn"].map((name) => `${c[name]}`), number(precisionOf(c), 4),
        number(recallOf(c), 4), number(price(c), 4)]));
      people.redraw();
      curves.redraw();
      bill.redraw();
      answer.say(say({ model, tau, costs, y, cells, star }));
    }

    update();
  }

  /** Columns of positives upwards and negatives downwards, in the colours of their cells. */
  function drawColumns(width, { model, tau, y }) {
    const edge = place(tau);
    const bins = new Map();
    model.p.forEach((p, n) => {
      const k = Math.min(Math.floor((inside(odds(p)) + END) / WIDTH), (2 * END) / WIDTH - 1);
      const cell = (p >= tau ? ["fp", "tp"] : ["tn", "fn"])[y[n]];
      const key = `${k} ${cell}`;
      bins.set(key, { k, cell, count: (bins.get(key)?.count ?? 0) + 1 });
    });
    const columns = [...bins.values()].map(({ k, cell, count }) => {
      const [low, high] = [k * WIDTH - END, (k + 1) * WIDTH - END];
      const split = low < edge && edge < high;
      const positive = cell === "tp" || cell === "fp";
      const up = cell === "tp" || cell === "fn";
      return { cell, count, x1: split && positive ? edge : low, x2: split && !positive ? edge : high,
        middle: (low + high) / 2, y: (up ? 1 : -1) * Math.min(count, MOST_DRAWN) };
    });
    const of = (...cells) => columns.filter(({ cell }) => cells.includes(cell));
    const counts = decisionCells(model.p, y, tau);
    const fill = { tp: colours.first, fn: colours.second, fp: colours.third, tn: colours.quiet };
    const long = (words) => (width < 480 ? "" : words); // else the corners meet
    const corner = (text, left, up) => Plot.text([text], { x: left ? -END : END, dy: up ? -8 : 8,
      y: (up ? 1 : -1) * MOST_DRAWN, textAnchor: left ? "start" : "end", fontWeight: 700,
      stroke: "var(--pst-color-background)", fill: "currentColor", strokeWidth: 4 });
    return {
      words: `Positives above the line, negatives below it, by their probability. At threshold `
        + `${number(tau, 4)}: ${counts.tp} true positives, ${counts.fn} false negatives, ${counts.fp} `
        + `false positives, ${counts.tn} true negatives.`,
      height: 270, marginLeft: 20,
      x: axis,
      y: { axis: null, domain: [-1.25 * MOST_DRAWN, 1.25 * MOST_DRAWN] },
      marks: [
        ...["tp", "fn", "fp", "tn"].map((cell) => Plot.rectY(of(cell), { x1: "x1", x2: "x2", y1: 0,
          y2: "y", fill: fill[cell], fillOpacity: cell === "fn" || cell === "fp" ? 0.35 : 1,
          stroke: fill[cell], strokeWidth: 1.5, inset: 1 })),
        Plot.ruleY([0]),
        Plot.ruleX([edge], { stroke: "currentColor", strokeWidth: 2.5 }),
        corner(`FN ${counts.fn}${long(", missed")}`, true, true),
        corner(`${long("found, ")}TP ${counts.tp}`, false, true),
        corner(`TN ${counts.tn}${long(", left alone")}`, true, false),
        corner(`${long("false alarms, ")}FP ${counts.fp}`, false, false),
      ],
    };
  }

  const place = (threshold) => inside(odds(Math.min(threshold, 1)));

  /** The points of a sweep that the axis shows; of those beyond an end, the nearest. */
  function drawn(sweep) {
    const left = sweep.findLastIndex(({ threshold }) => threshold <= probability(-END));
    const right = sweep.findIndex(({ threshold }) => threshold >= probability(END));
    return sweep.slice(Math.max(left, 0), right < 0 ? undefined : right + 1).map((point) => ({
      ...point, x: place(point.threshold), recall: recallOf(point), precision: precisionOf(point) }));
  }

  function drawCurves(width, { model, tau, y }) {
    const points = drawn(model.sweep);
    const cells = decisionCells(model.p, y, tau);
    const x = place(tau);
    const [precision, recall] = [precisionOf(cells), recallOf(cells)];
    return {
      words: `Precision and recall against the threshold. At ${number(tau, 4)} precision is `
        + `${number(precision, 4)} and recall ${number(recall, 4)}.`,
      height: 230, marginLeft: 40,
      x: { ...axis, label: "threshold", ticks: [0.001, 0.1, 0.5, 0.9, 0.999].map(odds) },
      y: { domain: [0, 1], grid: true, ticks: 5, label: null },
      marks: [
        Plot.ruleX([x], { stroke: colours.quiet, strokeWidth: 2 }),
        Plot.lineY(points, { x: "x", y: "recall", curve: "step-before", stroke: colours.first,
          strokeWidth: 2.5 }),
        Plot.lineY(points, { x: "x", y: "precision", curve: "step-before", stroke: colours.second,
          strokeWidth: 2, strokeDasharray: "7 3" }),
        Plot.dot([{ x, y: recall }], { x: "x", y: "y", r: 6, fill: colours.first }),
        Plot.dot([{ x, y: precision }].filter((point) => !Number.isNaN(point.y)),
          { x: "x", y: "y", r: 6, fill: colours.second }),
      ],
    };
  }

  function drawCost(width, { model, tau, costs, y }) {
    const price = (cells) => costOf(cells, costs.fp, costs.fn);
    const points = drawn(model.sweep).map((point) => ({ x: point.x, y: price(point) }));
    const star = costThreshold(costs.fp, costs.fn);
    const at = (t) => ({ x: place(t), y: price(decisionCells(model.p, y, t)) });
    const here = at(tau);
    const best = model.sweep.map((cells) => ({ x: place(cells.threshold), y: price(cells) }))
      .reduce((a, b) => (b.y < a.y ? b : a));
    const marked = Number.isNaN(star) ? [] : [at(star)];
    return {
      words: `Mean cost against the threshold. Here ${number(here.y, 4)}${marked.map((point) =>
        `, at the threshold of the costs ${number(point.y, 4)}`).join("")}; the least on these images is `
        + `${number(best.y, 4)}.`,
      height: 230, marginLeft: 48,
      x: { ...axis, label: "threshold", ticks: [0.001, 0.1, 0.5, 0.9, 0.999].map(odds) },
      y: { domain: [0, Math.max(...points.map((point) => point.y), 1e-6) * 1.08], grid: true, ticks: 5,
        label: "mean cost" },
      marks: [
        Plot.ruleX([here.x], { stroke: colours.quiet, strokeWidth: 2 }),
        Plot.lineY(points, { x: "x", y: "y", curve: "step-before", stroke: "currentColor",
          strokeWidth: 1.5 }),
        Plot.dot([best], { x: "x", y: "y", r: 5, stroke: "currentColor", strokeWidth: 1.5,
          fill: "var(--widget-ground)" }),
        Plot.dot(marked, { x: "x", y: "y", r: 7, symbol: "triangle", fill: colours.second }),
        Plot.dot([here], { x: "x", y: "y", r: 6, fill: colours.first }),
      ],
    };
  }

  function say({ model, tau, costs, y, cells, star }) {
    if (Number.isNaN(star)) return "Nothing costs anything: every threshold is as good as any other.";
    const price = (threshold) => costOf(decisionCells(model.p, y, threshold), costs.fp, costs.fn);
    const [here, atStar] = [price(tau), price(star)];
    const positives = cells.tp + cells.fn;
    const least = Math.min(...model.sweep.map((c) => costOf(c, costs.fp, costs.fn)));
    const bill = here <= least + 1e-12 ? `The mean cost is ${number(here, 4)}, the least on these images.`
      : `The mean cost is ${number(here, 4)}; the least on these images is ${number(least, 4)}.`;
    const source = model.T === 1 ? "as the network says them" : "calibrated";
    const found = `At τ = ${number(tau, places(tau))}, with probabilities ${source}, ${cells.tp} of `
      + `${positives} positives are found, with ${cells.fp} false ${cells.fp === 1 ? "alarm" : "alarms"}. ${bill} `;
    if (Math.abs(tau - star) < 1e-9) {
      const lost = atStar - least;
      const trust = model.T === 1
        ? "It takes the network's probabilities at their word; calibrate them and compare."
        : "The probabilities are calibrated on other scenes.";
      const against = lost < 1e-12 ? "No threshold that these labels could have told costs less"
        : `It costs ${number(lost, 4)} more than the best threshold that these labels could have told`;
      return `${found}This is τ*, from the costs alone. ${against}. ${trust}`;
    }
    const at = `τ* = ${number(star, 4)} would, ${number(atStar, 4)}`;
    if (here < atStar - 1e-12) {
      return `${found}That costs less than ${at}: on these images. Chance does that, and so do `
        + "probabilities that are not what they say; other images have to tell which.";
    }
    if (here <= atStar + 1e-12) return `${found}That costs as much as ${at}, on these images.`;
    const advice = tau > star
      ? "Above τ* there are misses that cost more than the false alarms they spare: lower the threshold."
      : "Below τ* there are false alarms that cost more than the misses they spare: raise the threshold.";
    return `${found}That costs more than ${at}. ${advice}`;
  }

  (glyphlab.widgets ??= {})["threshold-costs"] = start;
})((window.glyphlab ??= {}));
