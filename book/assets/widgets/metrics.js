// The course's formulas in double precision, as glyphlab_core has them; tests compare the two.
// Classic scripts, not modules: browsers refuse to load modules of a page opened from a folder.
(function (glyphlab) {
  "use strict";

  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const mean = (values) => sum(values) / values.length;
  const argmax = (row) => row.indexOf(Math.max(...row));

  // ------------------------------------------------------------------ confusion matrix

  /** TP, FP, FN and TN of each class. Rows are true classes. */
  function cellCounts(C) {
    const total = sum(C.map(sum));
    return C.map((row, i) => {
      const tp = row[i];
      const fn = sum(row) - tp;
      const fp = sum(C.map((other) => other[i])) - tp;
      return { tp, fp, fn, tn: total - tp - fp - fn };
    });
  }

  /** Harmonic mean; 0 of two zeros, NaN where either is undefined. */
  function harmonicMean(p, r) {
    if (Number.isNaN(p) || Number.isNaN(r)) return NaN;
    return p + r > 0 ? (2 * p * r) / (p + r) : 0;
  }

  function meanOfDefined(values) {
    const defined = values.filter((value) => !Number.isNaN(value));
    return defined.length ? mean(defined) : NaN;
  }

  /** The classes whose precision or recall has a zero denominator. */
  function zeroDenominators(C) {
    const cells = cellCounts(C);
    const classes = cells.map((_, i) => i);
    return {
      precision: classes.filter((i) => cells[i].tp + cells[i].fp === 0),
      recall: classes.filter((i) => cells[i].tp + cells[i].fn === 0),
    };
  }

  /** Every metric of a matrix in the convention "omit", "zero" or "raise" (null where it raises). */
  function coreMetrics(C, convention) {
    const cells = cellCounts(C);
    const zero = zeroDenominators(C);
    if (convention === "raise" && zero.precision.length + zero.recall.length) return null;
    const empty = convention === "zero" ? 0 : NaN;
    const share = (part, whole) => (whole > 0 ? part / whole : empty);
    const precision = cells.map((c) => share(c.tp, c.tp + c.fp));
    const recall = cells.map((c) => share(c.tp, c.tp + c.fn));
    const perClass = { precision, recall, f1: precision.map((p, i) => harmonicMean(p, recall[i])) };
    const hits = sum(cells.map((c) => c.tp));
    const averages = {};
    for (const [name, values] of Object.entries(perClass)) {
      averages[`macro_${name}`] = meanOfDefined(values);
    }
    const micro = hits / sum(C.map(sum));
    return {
      accuracy: micro,
      micro_precision: hits / sum(cells.map((c) => c.tp + c.fp)),
      micro_recall: hits / sum(cells.map((c) => c.tp + c.fn)),
      micro_f1: micro,
      ...averages,
      perClass,
      averaged: {
        precision: precision.filter((v) => !Number.isNaN(v)).length,
        recall: recall.filter((v) => !Number.isNaN(v)).length,
        f1: perClass.f1.filter((v) => !Number.isNaN(v)).length,
      },
    };
  }

  // ------------------------------------------------------------------ probabilities

  /** Softmax of one row of logits at a temperature. */
  function softmaxRow(z, temperature) {
    const top = Math.max(...z);
    const powers = z.map((value) => Math.exp((value - top) / temperature));
    const total = sum(powers);
    return powers.map((power) => power / total);
  }

  const softmax = (logits, temperature = 1) => logits.map((z) => softmaxRow(z, temperature));

  /** Loss of each sample, from the logits: no logarithm of a rounded probability. */
  function losses(logits, y, temperature = 1) {
    return logits.map((z, n) => {
      const top = Math.max(...z);
      const rest = sum(z.map((value) => Math.exp((value - top) / temperature)));
      return (top - z[y[n]]) / temperature + Math.log(rest);
    });
  }

  const logLoss = (logits, y, temperature = 1) => mean(losses(logits, y, temperature));

  function brierScore(probabilities, y) {
    return mean(probabilities.map((p, n) => sum(p.map((q, k) => (q - (k === y[n] ? 1 : 0)) ** 2))));
  }

  const accuracy = (logits, y) => mean(logits.map((z, n) => (argmax(z) === y[n] ? 1 : 0)));

  /** Slope of the mean loss in 1/T; it increases, so that its zero is the best temperature's. */
  function slope(logits, y, beta) {
    return mean(
      logits.map((z, n) => sum(softmaxRow(z, 1 / beta).map((p, k) => p * z[k])) - z[y[n]]),
    );
  }

  /** The temperature of least log loss, by bisection in log(1/T); NaN where there is none. */
  function optimalTemperature(logits, y) {
    let low = Math.log(1e-3);
    let high = Math.log(1e3);
    if (slope(logits, y, Math.exp(low)) >= 0 || slope(logits, y, Math.exp(high)) <= 0) return NaN;
    for (let i = 0; i < 80; i += 1) {
      const middle = (low + high) / 2;
      if (slope(logits, y, Math.exp(middle)) < 0) low = middle;
      else high = middle;
    }
    return Math.exp(-(low + high) / 2);
  }

  /** Where a function with one minimum between low and high has it, by golden section. */
  function minimum(f, low, high) {
    const golden = (Math.sqrt(5) - 1) / 2;
    let [a, b] = [low, high];
    for (let i = 0; i < 60; i += 1) {
      const [left, right] = [b - golden * (b - a), a + golden * (b - a)];
      if (f(left) < f(right)) b = right;
      else a = left;
    }
    return (a + b) / 2;
  }

  // ------------------------------------------------------------------ bins

  /** Confidence and correctness of each sample. */
  function confidenceAndCorrectness(logits, y, temperature = 1) {
    return {
      confidence: softmax(logits, temperature).map((p) => Math.max(...p)),
      correct: logits.map((z, n) => (argmax(z) === y[n] ? 1 : 0)),
    };
  }

  /** The bin of a value among n equal ones, closed on the "left" or the "right". */
  function binIndex(value, n, closed) {
    let index = 0;
    for (let k = 1; k < n; k += 1) {
      if (closed === "left" ? k / n <= value : k / n < value) index = k;
    }
    return index;
  }

  /** Count, mean confidence and accuracy of each bin; NaN in an empty one. */
  function reliabilityTable(confidence, correct, n, closed) {
    const bins = Array.from({ length: n }, (_, k) => ({ low: k / n, high: (k + 1) / n, members: [] }));
    confidence.forEach((value, i) => bins[binIndex(value, n, closed)].members.push(i));
    return bins.map(({ low, high, members }) => ({
      low,
      high,
      count: members.length,
      confidence: members.length ? mean(members.map((i) => confidence[i])) : NaN,
      accuracy: members.length ? mean(members.map((i) => correct[i])) : NaN,
    }));
  }

  function expectedCalibrationError(confidence, correct, n, closed) {
    const filled = reliabilityTable(confidence, correct, n, closed).filter((bin) => bin.count);
    return sum(filled.map((b) => b.count * Math.abs(b.confidence - b.accuracy))) / confidence.length;
  }

  // ------------------------------------------------------------------ decisions at a threshold

  /** The four cells of the decisions "positive where p >= threshold". */
  function decisionCells(probability, y, threshold) {
    const cells = { tp: 0, fp: 0, fn: 0, tn: 0 };
    probability.forEach((p, n) => {
      if (p >= threshold) cells[y[n] ? "tp" : "fp"] += 1;
      else cells[y[n] ? "fn" : "tn"] += 1;
    });
    return cells;
  }

  const precisionOf = ({ tp, fp }) => (tp + fp ? tp / (tp + fp) : NaN);
  const recallOf = ({ tp, fn }) => (tp + fn ? tp / (tp + fn) : NaN);
  const costOf = (cells, falsePositive, falseNegative) =>
    (cells.fp * falsePositive + cells.fn * falseNegative) /
    (cells.tp + cells.fp + cells.fn + cells.tn);

  /** The threshold that costs ask for; NaN where both are 0. */
  const costThreshold = (falsePositive, falseNegative) =>
    falsePositive / (falsePositive + falseNegative);

  /** The four cells at every distinct probability, ascending, and at infinity. */
  function thresholdSweep(probability, y) {
    const order = probability.map((p, n) => [p, y[n]]).sort((a, b) => a[0] - b[0]);
    const positives = sum(y);
    const sweep = [];
    let [tp, fp] = [positives, y.length - positives];
    order.forEach(([p, positive], i) => {
      if (i === 0 || p !== order[i - 1][0]) {
        sweep.push({ threshold: p, tp, fp, fn: positives - tp, tn: y.length - positives - fp });
      }
      if (positive) tp -= 1;
      else fp -= 1;
    });
    sweep.push({ threshold: Infinity, tp, fp, fn: positives - tp, tn: y.length - positives - fp });
    return sweep;
  }

  glyphlab.metrics = Object.freeze({
    accuracy,
    argmax,
    binIndex,
    brierScore,
    cellCounts,
    confidenceAndCorrectness,
    coreMetrics,
    costOf,
    costThreshold,
    decisionCells,
    expectedCalibrationError,
    logLoss,
    losses,
    mean,
    minimum,
    optimalTemperature,
    precisionOf,
    recallOf,
    reliabilityTable,
    softmax,
    sum,
    thresholdSweep,
    zeroDenominators,
  });
})((window.glyphlab ??= {}));
