"""Things to move on a page, without kernel or server.

``{widget} NAME`` with the task to try as its body becomes a table of results, which the script
``book/assets/widgets/NAME.js`` replaces by something to move. Names, titles, data and tables:
``widget_data.py``. Only pages with a widget load the scripts and the charting library.
"""

from __future__ import annotations

import json
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

import widget_data
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from widget_data import WIDGETS

LOGGER = logging.getLogger(__name__)

LIBRARY = ("vendor/d3/d3.min.js", "vendor/observable-plot/plot.umd.min.js")
PARTS = ("metrics", "controls", "charts")
STYLE = "widgets/widgets.css"


class widget_box(nodes.General, nodes.Element):
    """The widget's place; its children are the task and, as raw HTML, data and table."""


class WidgetDirective(SphinxDirective):
    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in WIDGETS:
            message = f"no widget is called {name!r}: there are {', '.join(WIDGETS)}"
            raise self.error(message)
        if not self.content:
            raise self.error(f"the widget {name} has no task to try")
        widget = WIDGETS[name]
        title = f'<p class="widget-title" id="widget-{name}-title">{escape(widget.title)}</p>'
        box = widget_box(name=name)
        task = nodes.container(classes=["widget-task"])
        self.state.nested_parse(self.content, self.content_offset, task)
        box += [
            nodes.raw("", title, format="html"),
            task,
            nodes.raw("", _inside(name), format="html"),
        ]
        return [box]


def _inside(name: str) -> str:
    widget = WIDGETS[name]
    # "</" would end the script in the middle of a string.
    data = json.dumps(widget.data(), separators=(",", ":")).replace("</", "<\\/")
    return (
        f'<script type="application/json">{data}</script>'
        f'<div class="widget-fallback">{widget.fallback()._repr_html_()}'
        "<p>Where scripts run, there is something to move in this place.</p></div>"
    )


def visit_box(writer: Any, node: widget_box) -> None:
    name = node["name"]
    writer.body.append(
        f'<div class="widget" id="widget-{name}" data-widget="{name}" role="group" '
        f'aria-labelledby="widget-{name}-title">'
    )


def depart_box(writer: Any, node: widget_box) -> None:
    writer.body.append("</div>\n")


def skip_box(writer: Any, node: widget_box) -> None:
    raise nodes.SkipNode


def add_scripts(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    names = [node["name"] for node in doctree.findall(widget_box)] if doctree else []
    if not names:
        return
    if len(set(names)) < len(names):
        LOGGER.warning("a page has a widget twice: %s", ", ".join(names), location=pagename)
    app.add_css_file(STYLE)
    for library in LIBRARY:
        app.add_js_file(library, loading_method="defer")
    for part in (*PARTS, *names, "start"):
        app.add_js_file(f"widgets/{part}.js", loading_method="defer")


def digest_data(app: Sphinx, config: Config) -> None:
    """A page is read again when what its widgets start from has changed."""
    config.widget_data_digest = sha256(Path(widget_data.__file__).read_bytes()).hexdigest()


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("widget_data_digest", "", "env", [str])
    app.connect("config-inited", digest_data)
    app.add_node(widget_box, html=(visit_box, depart_box), latex=(skip_box, None))
    app.add_directive("widget", WidgetDirective)
    app.connect("html-page-context", add_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
