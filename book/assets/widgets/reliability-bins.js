// Number of bins and closed side of a reliability diagram, and what they do to the ECE.
(function (glyphlab) {
  "use strict";

  const { choice, element, list, number, results, sentence, slider, table } = glyphlab.controls;
  const { chart, colours, legend } = glyphlab.charts;
  const { confidenceAndCorrectness, expectedCalibrationError, mean, reliabilityTable } =
    glyphlab.metrics;

  const MOST = 20;
  const FIRST = 5; // bins that the reader finds, closed on the left
  const other = { left: "right", right: "left" };

  function start(root, data) {
    const samples = Object.fromEntries(data.sets.map((set) => [set.name, read(set)]));
    let [name, bins, closed] = [data.sets[0].name, FIRST, "left"];

    const which = list({ name: "set", label: "Predictions",
      options: data.sets.map((set) => [set.name, set.label]), value: name,
      change: (next) => { name = next; update(); } });
    const slide = slider({ name: "bins", label: "Number of bins", min: 1, max: MOST, step: 1,
      value: bins, describe: (n) => `${n}`, change: (n) => { bins = n; update(); } });
    const side = choice({ name: "closed", legend: "Bins closed on the", value: closed,
      options: [["left", "left: [lo, hi)"], ["right", "right: (lo, hi]"]],
      change: (next) => { closed = next; update(); } });
    const shown = results({ ece: "ECE", other: "ECE, other side closed", filled: "bins with images",
      confidence: "mean confidence", accuracy: "accuracy" });
    const answer = sentence();
    const diagram = chart((width) => drawDiagram(width, samples[name], bins, closed));
    const curve = chart((width) => drawCurve(width, samples[name], bins, closed));
    const numbers = table("The numbers of the diagram",
      ["bin", "samples", "mean confidence", "accuracy", "gap"], { folded: true });
    const byBins = table("The numbers of the curve", ["bins", "ECE, closed on the left",
      "ECE, closed on the right"], { folded: true });
    root.append(
      element("div", { class: "widget-controls" }, which.root, slide.root, side.root),
      answer.root,
      element("div", { class: "widget-columns" },
        element("div", {}, diagram.root, legend([[colours.first, "●", "a bin; larger: more samples"],
          [colours.second, "┃", "its gap"]])),
        element("div", {}, curve.root, legend([[colours.first, "●", "closed on the left"],
          [colours.second, "▲", "closed on the right"]]))),
      shown.root, numbers.root, byBins.root);

    function update() {
      const { confidence, correct } = samples[name];
      const rows = reliabilityTable(confidence, correct, bins, closed).filter((bin) => bin.count);
      const ece = (side_) => expectedCalibrationError(confidence, correct, bins, side_);
      shown.set({ ece: number(ece(closed), 4), other: number(ece(other[closed]), 4),
        filled: `${rows.length} of ${bins}`, confidence: number(mean(confidence), 4),
        accuracy: number(mean(correct), 4) });
      numbers.set(rows.map((bin) => [`${number(bin.low, 3)} to ${number(bin.high, 3)}`,
        `${bin.count}`, number(bin.confidence, 4), number(bin.accuracy, 4),
        number(Math.abs(bin.confidence - bin.accuracy), 4)]));
      diagram.redraw();
      curve.redraw();
      byBins.set(Array.from({ length: MOST }, (_, i) => [`${i + 1}`, ...["left", "right"].map((side) =>
        number(expectedCalibrationError(confidence, correct, i + 1, side), 4))]));
      const { label } = data.sets.find((set) => set.name === name);
      answer.say(say(samples[name], { label, bins, closed, filled: rows.length,
        asked: name === data.sets[0].name }));
    }

    update();
  }

  function read(set) {
    if (set.confidence) return { confidence: set.confidence, correct: set.correct };
    return confidenceAndCorrectness(set.logits.map((z) => z.map(Math.fround)), set.labels);
  }

  function drawDiagram(width, { confidence, correct }, bins, closed) {
    const filled = reliabilityTable(confidence, correct, bins, closed).filter((bin) => bin.count);
    const words = filled.map((bin) => `${bin.count} with mean confidence ${number(bin.confidence, 3)} `
      + `and accuracy ${number(bin.accuracy, 3)}`).join("; ");
    const edges = Array.from({ length: bins + 1 }, (_, k) => k / bins);
    return {
      words: `Reliability diagram with ${count(bins)} closed on the ${closed}. Bins with samples: ${words}.`,
      height: 320, marginLeft: 44,
      x: { domain: [0, 1], ticks: 5, label: "confidence" },
      y: { domain: [0, 1], ticks: 5, label: "accuracy" },
      r: { range: [4, 15], domain: [1, confidence.length], type: "sqrt" },
      marks: [
        Plot.ruleX(edges, { stroke: colours.quiet, strokeOpacity: 0.35 }),
        Plot.frame({ stroke: colours.quiet }),
        Plot.line([[0, 0], [1, 1]], { stroke: colours.quiet, strokeWidth: 1.5 }),
        Plot.ruleX(confidence, { y1: 0, y2: 0.035, stroke: "currentColor", strokeOpacity: 0.5 }),
        Plot.ruleX(filled, { x: "confidence", y1: "accuracy", y2: "confidence",
          stroke: colours.second, strokeWidth: 4 }),
        Plot.dot(filled, { x: "confidence", y: "accuracy", r: "count", fill: colours.first,
          stroke: "var(--widget-ground)" }),
      ],
    };
  }

  function drawCurve(width, { confidence, correct }, bins, closed) {
    const points = ["left", "right"].flatMap((side) => Array.from({ length: MOST }, (_, i) => ({
      side, n: i + 1, ece: expectedCalibrationError(confidence, correct, i + 1, side) })));
    const here = points.filter((point) => point.n === bins && point.side === closed);
    const of = (side) => points.filter((point) => point.side === side);
    const [least, most] = [Math.min, Math.max].map((f) => f(...of(closed).map((point) => point.ece)));
    return {
      words: `ECE against the number of bins, from 1 to ${MOST}: between ${number(least, 4)} and `
        + `${number(most, 4)}, closed on the ${closed}. With ${count(bins)} it is ${number(here[0].ece, 4)}.`,
      height: 320, marginLeft: 48,
      x: { domain: [0, MOST + 1], ticks: [1, 5, 10, 15, 20], label: "bins", tickFormat: "d" },
      y: { domain: [0, Math.max(...points.map((point) => point.ece)) * 1.1], grid: true, ticks: 5,
        label: "ECE" },
      marks: [
        Plot.ruleX([bins], { stroke: colours.quiet, strokeWidth: 2 }),
        Plot.dot(of("left"), { x: "n", y: "ece", r: 4.5, fill: colours.first }),
        Plot.dot(of("right"), { x: "n", y: "ece", r: 5, symbol: "triangle", stroke: colours.second,
          strokeWidth: 1.5 }),
        Plot.dot(here, { x: "n", y: "ece", r: 9, stroke: "currentColor", strokeWidth: 2 }),
        Plot.ruleY([0]),
      ],
    };
  }

  const count = (bins) => `${bins} ${bins === 1 ? "bin" : "bins"}`;

  function say({ confidence, correct }, { label, bins, closed, filled, asked }) {
    const ece = (n, side) => expectedCalibrationError(confidence, correct, n, side);
    const all = Array.from({ length: MOST }, (_, i) => ece(i + 1, closed));
    const [least, most] = [Math.min(...all), Math.max(...all)];
    const here = ece(bins, closed);
    const first = ece(FIRST, "left");
    const apart = Math.abs(here - ece(bins, other[closed])) > 1e-12
      ? ` Close the bins on the ${other[closed]} and the ECE is ${number(ece(bins, other[closed]), 4)}: a `
        + "confidence lies on an edge and changes its bin." : "";
    const against = number(here, 4) === number(first, 4) ? ""
      : `, against ${number(first, 4)} in ${FIRST} bins closed on the left`;
    const done = asked && here >= 1.5 * first ? ": larger by half, as the task asks" : "";
    const opening = `${label}: in ${count(bins)} closed on the ${closed} the ECE is ${number(here, 4)}`
      + `${against}${done}. Bins change no prediction. `;
    if (bins === 1) {
      return `${opening}With one bin the ECE is just the distance between mean confidence and accuracy: `
        + `errors in both directions cancel.${apart}`;
    }
    const same = (a, b) => Math.abs(a - b) < 1e-12;
    if (same(here, least) && least < most) {
      return `${opening}This is the smallest ECE of 1 to ${MOST} bins. Nobody became better calibrated: `
        + `opposite errors share a bin.${apart}`;
    }
    if (same(here, most) && least < most) {
      return `${opening}This is the largest ECE of 1 to ${MOST} bins; the smallest is `
        + `${number(least, 4)}. Errors that share a bin elsewhere stand apart here.${apart}`;
    }
    return `${opening}With 1 to ${MOST} bins the ECE runs from ${number(least, 4)} to ${number(most, 4)}; `
      + `here ${filled} of ${bins} bins hold anything.${apart}`;
  }

  (glyphlab.widgets ??= {})["reliability-bins"] = start;
})((window.glyphlab ??= {}));
