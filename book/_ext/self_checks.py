"""Questions that answer the option that was chosen, at once and without a kernel.

::::{self-check} The question
:::{right} An option
Why it is right.
:::
:::{wrong} Another
Why it is wrong.
:::
::::

Each option is a fold that opens on its verdict and reason. Where scripts run,
``book/assets/widgets/self-check.js`` makes radio buttons of the options.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

SCRIPT = "widgets/self-check.js"
STYLE = "widgets/self-check.css"
VERDICTS = {"right": "Right.", "wrong": "Not so."}


class self_check(nodes.General, nodes.Element):
    """A question; its children are a `check_question` and `check_option`s."""


class check_question(nodes.General, nodes.Element):
    """What is asked."""


class check_option(nodes.General, nodes.Element):
    """An option; its first child is a `check_label`, the others say why."""


class check_label(nodes.General, nodes.Element):
    """What can be chosen."""


class SelfCheck(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        question = check_question()
        text, messages = self.state.inline_text(self.arguments[0], self.lineno)
        question += text
        check = self_check("", question)
        self.state.nested_parse(self.content, self.content_offset, check)
        options = check.children[1:]
        strangers = [node for node in options if not isinstance(node, check_option)]
        if strangers:
            raise self.error("a self-check holds {right} and {wrong} options and nothing else")
        right = sum(option["verdict"] == "right" for option in options)
        if right != 1 or len(options) < 2:
            raise self.error(
                f"a self-check needs two options or more, one of them right: "
                f"here are {len(options)}, {right} of them right"
            )
        return [check, *messages]


class Option(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        if not self.content:
            raise self.error(f"the option {self.arguments[0]!r} says no reason")
        label = check_label()
        text, messages = self.state.inline_text(self.arguments[0], self.lineno)
        label += text
        option = check_option("", label, verdict=self.name)
        reason = nodes.container(classes=["check-reason"])
        self.state.nested_parse(self.content, self.content_offset, reason)
        verdict = nodes.strong("", VERDICTS[self.name], classes=["check-verdict"])
        if not isinstance(reason[0], nodes.paragraph):
            raise self.error("the reason starts with a paragraph")
        reason[0].insert(0, [verdict, nodes.Text(" ")])
        option += reason
        return [option, *messages]


HTML = {
    self_check: ('<div class="self-check admonition question">\n', "</div>\n"),
    check_question: ('<p class="admonition-title">', "</p>\n"),
    check_label: ("<summary>", "</summary>\n"),
}


def _visitors(opening: str, closing: str) -> tuple[Any, Any]:
    return (
        lambda writer, node: writer.body.append(opening),
        lambda writer, node: writer.body.append(closing),
    )


def visit_option(writer: Any, node: check_option) -> None:
    writer.body.append(f'<details class="check-option" data-verdict="{node["verdict"]}">\n')


def depart_option(writer: Any, node: check_option) -> None:
    writer.body.append("</details>\n")


def add_script(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    if doctree is not None and next(iter(doctree.findall(self_check)), None) is not None:
        app.add_css_file(STYLE)
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    for node, tags in HTML.items():
        app.add_node(node, html=_visitors(*tags))
    app.add_node(check_option, html=(visit_option, depart_option))
    app.add_directive("self-check", SelfCheck)
    app.add_directive("right", Option)
    app.add_directive("wrong", Option)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
