// Puts each widget in the place of its table. One that fails leaves the table and an error.
(function (glyphlab) {
  "use strict";

  for (const place of document.querySelectorAll(".widget[data-widget]")) {
    const data = JSON.parse(place.querySelector("script[type='application/json']").textContent);
    const fallback = place.querySelector(".widget-fallback");
    const live = glyphlab.controls.element("div", { class: "widget-live" });
    place.append(live);
    try {
      glyphlab.widgets[place.dataset.widget](live, data);
      fallback.remove();
    } catch (error) {
      live.remove();
      console.error(`widget ${place.dataset.widget}:`, error);
    }
  }
})((window.glyphlab ??= {}));
