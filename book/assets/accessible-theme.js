// What the theme's scripts leave out for keyboard and screen reader. The theme makes its buttons and
// boxes while the page loads, so that only a script can mend them; book/_ext/accessible_theme.py
// mends what stands in the files.
(function () {
  "use strict";

  const OPENERS = ".theme-switch-button, .search-button, .primary-toggle, .secondary-toggle";
  const HEADING = ":is(h1, h2, h3, h4, h5, h6)";
  const BOXES = { pre: "Code", ".cell_output > .output": "Output",
    ".pst-scrollable-table-container": "Table" };

  /** A line that is heard and not seen. */
  function listener() {
    const line = document.createElement("p");
    line.className = "visually-hidden";
    line.setAttribute("role", "status");
    document.body.append(line);
    return (text) => { line.textContent = text; };
  }

  /** The theme blurs its buttons when they are clicked, and its dialogs return the focus to nothing. */
  function keepFocus() {
    for (const button of document.querySelectorAll(OPENERS)) {
      button.blur = () => window.bootstrap?.Tooltip.getInstance(button)?.hide();
    }
  }

  /** A heading chosen in a drawer is where reading goes on, not the button that opened the drawer. */
  function followDrawerLinks() {
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("dialog a[href^='#']");
      const target = link && document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (!target) return;
      link.closest("dialog").addEventListener("close", () => setTimeout(() => {
        target.tabIndex = -1;
        target.focus({ preventScroll: true });
      }), { once: true });
    }, true);
  }

  /** The skip link skips the toolbar, too. */
  function skipToText() {
    const text = document.querySelector("#main-content article section[id]");
    const link = document.querySelector(".skip-link a");
    if (text && link) link.hash = text.id;
  }

  /** Say what a click on the colour mode or on a copy button did, and stay on the copy button. */
  function sayWhatClicksDid(say) {
    document.addEventListener("click", (event) => {
      const clicked = (selector) => event.composedPath().find((node) => node.matches?.(selector));
      if (clicked(".theme-switch-button")) say(`Color mode: ${document.documentElement.dataset.mode}`);
      const copy = clicked(".copybtn");
      if (!copy) return;
      copy.focus({ preventScroll: true });
      say(copy.dataset.tooltip);
    });
  }

  /** A button that opens a solution says which one. */
  function nameToggles() {
    for (const button of document.querySelectorAll(".toggle-button")) {
      const title = button.closest(".admonition-title").textContent.trim().replace(/\s+/g, " ");
      const name = () => button.setAttribute("aria-label", `${button.dataset.toggleHint}: ${title}`);
      new MutationObserver(name).observe(button, { attributeFilter: ["data-toggle-hint"] });
      name();
    }
  }

  /** A box that the theme makes a stop of the Tab key, because it scrolls, says what it is. */
  function nameBox(box) {
    const [, kind] = Object.entries(BOXES).find(([selector]) => box.matches(selector)) ?? [];
    if (!kind) return;
    if (box.tabIndex < 0) {
      box.removeAttribute("role");
      box.removeAttribute("aria-label");
      return;
    }
    const heading = box.closest(`section:has(> ${HEADING})`)?.querySelector(`:scope > ${HEADING}`);
    const section = heading?.textContent.replace(/#$/, "").trim(); // without the link to itself
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", section ? `${kind} of “${section}”` : kind);
  }

  /** The theme looks when the window changes; a box in a fold scrolls once that is opened. */
  function nameBoxes() {
    const main = document.getElementById("main-content");
    const seen = new ResizeObserver((changes) => changes.forEach(({ target: box }) => {
      const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
      box.tabIndex = scrolls ? 0 : -1;
    }));
    main.querySelectorAll(Object.keys(BOXES).join()).forEach((box) => seen.observe(box));
    main.querySelectorAll("[tabindex]").forEach(nameBox);
    new MutationObserver((changes) => changes.forEach(({ target }) => nameBox(target)))
      .observe(main, { subtree: true, attributeFilter: ["tabindex"] });
  }

  /** How many pages a search found is said when it is known. */
  function saySearchSummary() {
    const results = document.getElementById("search-results");
    if (!results) return;
    const mark = () => results.querySelector(".search-summary")?.setAttribute("role", "status");
    new MutationObserver(mark).observe(results, { childList: true });
    mark();
  }

  document.addEventListener("DOMContentLoaded", () => {
    keepFocus();
    followDrawerLinks();
    skipToText();
    sayWhatClicksDid(listener());
    nameToggles();
    nameBoxes();
    saySearchSummary();
  });
})();
