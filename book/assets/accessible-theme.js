// What the theme's scripts leave out for keyboard and screen reader. The theme makes its buttons and
// boxes while the page loads, so that only a script can mend them; book/_ext/accessible_theme.py
// mends what stands in the files.
(function () {
  "use strict";

  const OPENERS = ".theme-switch-button, .search-button, .primary-toggle, .secondary-toggle";
  const HEADING = ":is(h1, h2, h3, h4, h5, h6)";
  const BOXES = { ".cell_output pre": "Output", pre: "Code", ".cell_output > .output": "Output",
    ".pst-scrollable-table-container": "Table", ".table-scroll": "Table" };

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

  /** A section chosen in a drawer closes it, and is where reading goes on: not the button that opened it. */
  function followDrawerLinks() {
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("dialog a[href^='#']");
      if (!link) return;
      // Of a section its heading; of this page, chosen once more, its title.
      const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      const target = section?.querySelector(`:scope > ${HEADING}`) ?? section
        ?? document.querySelector("#main-content article h1");
      const drawer = link.closest("dialog");
      drawer.addEventListener("close", () => setTimeout(() => {
        target.tabIndex = -1;
        target.scrollIntoView(); // the theme's own way back has moved the page
        target.focus({ preventScroll: true });
      }), { once: true });
      drawer.close(); // the theme does where the click has no place, as that of a key
    }, true);
  }

  /** The skip link skips the toolbar, too. */
  function skipToText() {
    const text = document.querySelector("#main-content :is(article section[id], .bd-search-container)");
    const link = document.querySelector(".skip-link a");
    if (!text || !link) return;
    text.id ||= "search-text";
    link.hash = text.id;
  }

  function plain(node) {
    return node.textContent.trim().replace(/\s+/g, " ");
  }

  function colourMode() {
    return `Color mode: ${document.documentElement.dataset.mode}`;
  }

  /** The button of the colour mode says which one it is. */
  function nameColourMode() {
    const name = () => document.querySelectorAll(".theme-switch-button")
      .forEach((button) => button.setAttribute("aria-label", colourMode()));
    new MutationObserver(name).observe(document.documentElement, { attributeFilter: ["data-mode"] });
    name();
  }

  /** Definitions, propositions, exercises and solutions are found among the headings. */
  function headBlocks() {
    for (const title of document.querySelectorAll(":is(.proof, .exercise, .solution) > .admonition-title")) {
      const above = title.closest(`section:has(> ${HEADING})`).querySelector(`:scope > ${HEADING}`);
      title.setAttribute("role", "heading");
      title.setAttribute("aria-label", plain(title)); // without its button
      // A link in the title of an open solution does not fold it, too.
      title.querySelector("a")?.addEventListener("click", (event) => event.stopPropagation());
      title.setAttribute("aria-level", Number(above.tagName[1]) + 1);
    }
  }

  /** Say what a click on the colour mode or on a copy button did, and stay on the copy button. */
  function sayWhatClicksDid(say) {
    document.addEventListener("click", (event) => {
      const clicked = (selector) => event.composedPath().find((node) => node.matches?.(selector));
      if (clicked(".theme-switch-button")) say(colourMode());
      const copy = clicked(".copybtn");
      if (!copy) return;
      copy.focus({ preventScroll: true });
      say(copy.dataset.tooltip);
    });
  }

  /** A button that opens a solution says which one. */
  function nameToggles() {
    for (const button of document.querySelectorAll(".toggle-button")) {
      const title = plain(button.closest(".admonition-title"));
      const name = () => button.setAttribute("aria-label", `${button.dataset.toggleHint}: ${title}`);
      new MutationObserver(name).observe(button, { attributeFilter: ["data-toggle-hint"] });
      name();
    }
  }

  /** The button beside the text says whether the sidebar is there; in a narrow window it opens a dialog. */
  function saySidebar() {
    const button = document.querySelector(".primary-toggle");
    const sidebar = document.getElementById("pst-primary-sidebar");
    if (!button || !sidebar) return;
    const beside = window.matchMedia("(min-width: 992px)"); // as the theme's script asks
    const mark = () => {
      if (!beside.matches) return button.removeAttribute("aria-expanded");
      button.setAttribute("aria-expanded", !sidebar.classList.contains("pst-sidebar-hidden"));
    };
    new MutationObserver(mark).observe(sidebar, { attributeFilter: ["class"] });
    beside.addEventListener("change", mark);
    mark();
  }

  function boxName(box, kind) {
    const heading = box.closest(`section:has(> ${HEADING})`)?.querySelector(`:scope > ${HEADING}`);
    const section = heading?.textContent.replace(/#$/, "").trim(); // without the link to itself
    return section ? `${kind} of “${section}”` : kind;
  }

  /** A box is a stop of the Tab key and says its name where it scrolls, and only there. */
  function markBox(box) {
    const kind = Object.entries(BOXES).find(([selector]) => box.matches(selector))?.[1];
    if (!kind) return;
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    box.dataset.label ??= box.getAttribute("aria-label") ?? boxName(box, kind);
    const stop = scrolls ? 0 : -1;
    if (box.tabIndex !== stop) box.tabIndex = stop;
    for (const [name, value] of [["role", "region"], ["aria-label", box.dataset.label]]) {
      if (scrolls) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  }

  /** A box may begin to scroll, or end: a fold is opened, a table's formulas are drawn, the theme looked. */
  function markBoxes() {
    const main = document.getElementById("main-content");
    const watched = new WeakSet();
    const sizes = new ResizeObserver((changes) => changes.forEach(({ target }) => {
      markBox(target);
      markBox(target.parentElement);
    }));
    const watch = () => {
      for (const box of main.querySelectorAll(Object.keys(BOXES).join())) {
        if (watched.has(box)) continue;
        watched.add(box);
        [box, ...box.querySelectorAll(":scope > table")].forEach((part) => sizes.observe(part));
      }
    };
    new MutationObserver((changes) => {
      if (changes.some(({ type }) => type === "childList")) watch();
      changes.filter(({ type }) => type === "attributes").forEach(({ target }) => markBox(target));
    }).observe(main, { subtree: true, childList: true, attributeFilter: ["tabindex"] });
    watch();
  }

  /** How many pages a search found is said when it is known; excerpts lose the marks of formulas. */
  function mendSearch() {
    const results = document.getElementById("search-results");
    if (!results) return;
    const mend = () => {
      results.querySelector(".search-summary")?.setAttribute("role", "status");
      const texts = document.createTreeWalker(results, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const text = texts.currentNode;
        if (/\\[()[\]]/.test(text.data)) text.data = text.data.replace(/\\[()[\]]/g, "");
      }
    };
    new MutationObserver(mend).observe(results, { childList: true, subtree: true });
    mend();
  }

  document.addEventListener("DOMContentLoaded", () => {
    keepFocus();
    followDrawerLinks();
    skipToText();
    sayWhatClicksDid(listener());
    nameColourMode();
    headBlocks();
    nameToggles();
    saySidebar();
    markBoxes();
    mendSearch();
  });
})();
