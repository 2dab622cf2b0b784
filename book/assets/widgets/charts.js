// Charts of Observable Plot that fill their place, follow the theme and say what they show.
(function (glyphlab) {
  "use strict";

  const { element } = glyphlab.controls;

  //: Colours by name; the style sheet has them for light and for dark.
  const colours = Object.freeze({
    first: "var(--widget-first)",
    second: "var(--widget-second)",
    third: "var(--widget-third)",
    fourth: "var(--widget-fourth)",
    quiet: "var(--widget-quiet)",
    text: "currentColor",
  });

  /**
   * A place for a chart. `draw(width)` returns Plot's options and `words`, the text alternative, or
   * null where there is nothing to draw. It is called after redraw(), at most once a frame, and when
   * the width of the place changes.
   */
  function chart(draw) {
    const root = element("div", { class: "widget-chart" });
    let drawnWidth = 0;
    let waiting = false;
    function redraw() {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        paint();
      });
    }
    function paint() {
      const width = Math.floor(root.clientWidth);
      if (!width) return; // not on the page, or folded
      drawnWidth = width;
      const options = draw(width);
      root.replaceChildren(...(options ? [drawing(width, options)] : []));
    }
    new ResizeObserver(() => {
      if (Math.floor(root.clientWidth) !== drawnWidth) paint();
    }).observe(root);
    return { root, redraw };
  }

  function drawing(width, { words, x, ...options }) {
    const made = Plot.plot({
      width,
      marginTop: 24,
      marginRight: 16,
      marginBottom: 46,
      x: { labelAnchor: "center", labelArrow: "none", labelOffset: 38, ...x },
      style: { background: "none", color: "inherit", fontSize: "13px", overflow: "visible" },
      ...options,
    });
    // Plot labels its groups, which have no role to carry a label; the words say it all.
    for (const group of made.querySelectorAll("[aria-label]")) group.removeAttribute("aria-label");
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", words);
    return made;
  }

  /** A legend beside which colour is never alone: each entry has its sign. */
  function legend(entries) {
    return element("ul", { class: "widget-legend", "aria-hidden": "true" },
      ...entries.map(([colour, sign, label]) =>
        element("li", {}, element("span", { style: `color:${colour}` }, sign), ` ${label}`)));
  }

  glyphlab.charts = Object.freeze({ chart, colours, legend });
})((window.glyphlab ??= {}));
