"""What is drawn is what was handed in, on the axes that were handed in, and is legible in grey."""

import re

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import glyphlab_core as core
from glyphlab import plots
from glyphlab_core import worked

mpl.use("Agg")
NAMES = ("vertical", "horizontal", "diagonal")
C_ROW_EMPTY = [[18, 1, 1], [2, 17, 1], [0, 0, 0]]
BINNING = core.Binning.uniform(5)
CONFIDENCE = [0.5, 0.55, 0.7, 0.9, 0.95, 1.0]
CORRECT = [0, 1, 1, 1, 1, 0]


@pytest.fixture
def ax():
    return Figure().add_subplot()


@pytest.fixture
def table():
    return core.reliability_table(CONFIDENCE, CORRECT, BINNING)


@pytest.fixture
def sweep():
    return core.threshold_sweep([0.2, 0.4, 0.4, 0.9], [0, 1, 0, 1])


def every_plot(table, sweep):
    return {
        "confusion_matrix": lambda **k: plots.confusion_matrix(worked.C, NAMES, **k),
        "reliability_diagram": lambda **k: plots.reliability_diagram(table, **k),
        "temperature_curve": lambda **k: plots.temperature_curve([0.5, 1, 2], [3, 1, 2], **k),
        "threshold_curves": lambda **k: plots.threshold_curves(sweep, **k),
        "threshold_cells": lambda **k: plots.threshold_cells(sweep, **k),
        "risk_coverage": lambda **k: plots.risk_coverage(
            core.risk_coverage_curve(CONFIDENCE, CORRECT), **k
        ),
    }


def test_draws_on_the_axes_given_and_leaves_pyplot_alone(table, sweep):
    before = dict(mpl.rcParams)
    for draw in every_plot(table, sweep).values():
        ax = Figure().add_subplot()
        assert draw(ax=ax) is ax
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == before


def test_makes_one_figure_where_no_axes_are_given(table, sweep):
    for name, draw in every_plot(table, sweep).items():
        drawn = draw()
        assert plt.get_fignums() == [drawn.figure.number], name
        drawn.figure.canvas.draw()
        plt.close(drawn.figure)


def texts(ax):
    return [t.get_text() for t in ax.texts]


def test_confusion_matrix_names_its_axes_and_counts_its_cells(ax):
    plots.confusion_matrix(worked.C_z, NAMES, ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted class", "true class")
    assert tuple(t.get_text() for t in ax.get_xticklabels()) == NAMES
    assert tuple(t.get_text() for t in ax.get_yticklabels()) == NAMES
    cells = {tuple(map(int, t.get_position()[::-1])): t.get_text() for t in ax.texts}
    assert cells == {(i, j): str(n) for (i, j), n in np.ndenumerate(worked.C_z)}
    assert ax.yaxis_inverted()


@pytest.mark.parametrize(
    ("normalize", "first", "last"),
    [
        ("true", "0.90\n(18)", "–\n(0)"),
        ("pred", "0.90\n(18)", "0.00\n(0)"),
        ("all", "0.45\n(18)", "0.00\n(0)"),
    ],
)
def test_normalized_cells_keep_their_counts(ax, normalize, first, last):
    plots.confusion_matrix(C_ROW_EMPTY, normalize=normalize, ax=ax)
    assert (texts(ax)[0], texts(ax)[-1]) == (first, last)


def test_every_number_contrasts_with_its_cell(ax):
    plots.confusion_matrix([[20, 12, 11], [8, 4, 10], [0, 9, 1]], ax=ax)
    image = ax.images[0]
    for text in ax.texts:
        j, i = text.get_position()
        back = luminance(image.cmap(image.norm(image.get_array()[i, j]))[:3])
        ink = luminance(mpl.colors.to_rgb(text.get_color()))
        high, low = max(back, ink), min(back, ink)
        assert (high + 0.05) / (low + 0.05) >= 4.5, text.get_text()


def luminance(rgb):
    """WCAG 2.2 relative luminance."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_wrong_names_are_refused(ax):
    with pytest.raises(ValueError, match="class_names must be 3 names"):
        plots.confusion_matrix(worked.C, ["a", "b"], ax=ax)
    with pytest.raises(ValueError, match="C must"):
        plots.confusion_matrix([[1, 2]], ax=ax)


def points(container):
    return np.column_stack(container.lines[0].get_data())


def test_reliability_diagram_shows_table_intervals_and_counts(ax, table):
    plots.reliability_diagram(table, ax=ax)
    seen = table.count > 0
    drawn = ax.containers[0]
    np.testing.assert_array_equal(
        points(drawn), np.column_stack([table.mean_confidence, table.accuracy])[seen]
    )
    segments = np.array(drawn.lines[2][0].get_segments())
    np.testing.assert_allclose(segments[:, 0, 1], table.lower[seen])
    np.testing.assert_allclose(segments[:, 1, 1], table.upper[seen])
    (panel,) = ax.child_axes
    assert [b.get_height() for b in panel.patches] == table.count.tolist()
    assert [t for t in texts(panel) if t] == ["2", "1", "3"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("confidence", "accuracy")
    assert panel.get_ylabel() == "samples"
    diagonal = ax.lines[0]
    np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())


def test_a_second_table_shares_the_bins_and_differs_by_more_than_colour(ax, table):
    other = core.reliability_table(np.square(CONFIDENCE), CORRECT, BINNING)
    plots.reliability_diagram(table, ax=ax, label="before")
    plots.reliability_diagram(other, ax=ax, label="after")
    third = core.reliability_table(np.sqrt(CONFIDENCE), CORRECT, BINNING)
    plots.reliability_diagram(third, ax=ax, label="again")
    (panel,) = ax.child_axes
    for k, counted in enumerate((table, other, third)):
        bars = panel.containers[k]
        assert [b.get_height() for b in bars] == counted.count.tolist()
        np.testing.assert_allclose([b.get_width() for b in bars], 0.2 / 3)
        np.testing.assert_allclose(
            [b.get_x() for b in bars], np.arange(5) / 5 + k * 0.2 / 3, atol=1e-12
        )
    assert len({c.lines[0].get_marker() for c in ax.containers}) == 3
    assert len({c[0].get_hatch() for c in panel.containers}) == 3
    legend = [t.get_text() for t in ax.get_legend().get_texts()]
    assert [entry.split(",")[0] for entry in legend[1:]] == ["before", "after", "again"]


def test_reliability_of_uneven_bins(ax):
    binning = core.Binning((0.0, 0.6, 0.95, 1.0), "right")
    plots.reliability_diagram(core.reliability_table(CONFIDENCE, CORRECT, binning), ax=ax)
    (panel,) = ax.child_axes
    np.testing.assert_allclose([b.get_width() for b in panel.patches], [0.6, 0.35, 0.05])


def test_temperature_curve_marks_the_least_loss_or_the_one_named(ax):
    plots.temperature_curve([2, 0.5, 1], [0.7, 0.6, 0.5], ax=ax)
    curve, star = ax.lines
    np.testing.assert_array_equal(curve.get_xdata(), [0.5, 1, 2])
    np.testing.assert_array_equal(curve.get_ydata(), [0.6, 0.5, 0.7])
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (1, 0.5)
    plots.temperature_curve([0.5, 1, 2], [1, 2, 3], ax=ax, minimum=(0.7, 0.9), label="test")
    assert (ax.lines[3].get_xdata()[0], ax.lines[3].get_ydata()[0]) == (0.7, 0.9)
    assert ax.lines[2].get_linestyle() != ax.lines[0].get_linestyle()


def test_temperature_curve_refuses_what_does_not_fit(ax):
    with pytest.raises(ValueError, match="vectors of one length"):
        plots.temperature_curve([1, 2], [1], ax=ax)
    with pytest.raises(ValueError, match="vectors of one length"):
        plots.temperature_curve([], [], ax=ax)


def read_step(line, x):
    """The value of a steps-pre line at x: that of the first point at or after x."""
    xs, ys = line.get_data()
    return ys[np.searchsorted(xs, x, side="left")]


@pytest.mark.parametrize("tau", [0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.9, 0.95, 1.0])
def test_threshold_curves_say_what_deciding_at_the_threshold_gives(sweep, tau):
    probability, y = np.array([0.2, 0.4, 0.4, 0.9]), np.array([0, 1, 0, 1])
    positive = probability >= tau
    hits = int((positive & (y == 1)).sum())
    cells = Figure().add_subplot()
    plots.threshold_cells(sweep, ax=cells)
    drawn = {line.get_label(): read_step(line, tau) for line in cells.lines}
    assert drawn == {
        "true positive": hits,
        "false positive": int((positive & (y == 0)).sum()),
        "false negative": int((~positive & (y == 1)).sum()),
        "true negative": int((~positive & (y == 0)).sum()),
    }
    curves = Figure().add_subplot()
    plots.threshold_curves(sweep, ax=curves)
    drawn = {line.get_label(): read_step(line, tau) for line in curves.lines}
    assert drawn["recall"] == hits / 2
    if positive.any():
        assert drawn["precision"] == hits / positive.sum()
    else:
        assert np.isnan(drawn["precision"])
    assert all(line.get_drawstyle() == "steps-pre" for line in (*cells.lines, *curves.lines))


def test_threshold_lines_differ_by_more_than_colour(ax, sweep):
    plots.threshold_cells(sweep, ax=ax, threshold=1 / 6)
    assert len({line.get_linestyle() for line in ax.lines[:4]}) == 4
    assert ax.lines[4].get_xdata()[0] == 1 / 6


def test_nothing_is_cut_off(table, sweep):
    for name, draw in every_plot(table, sweep).items():
        figure = Figure(figsize=(5.2, 4.4), layout="constrained")
        draw(ax=figure.add_subplot())
        FigureCanvasAgg(figure).draw()
        needed, given = figure.get_tightbbox(), figure.bbox_inches
        assert needed.x0 >= given.x0, name
        assert needed.y0 >= given.y0, name
        assert needed.x1 <= given.x1, name
        assert needed.y1 <= given.y1, name


# ------------------------------------------------------------------------------ the descriptions


def test_describe_confusion_matrix():
    assert plots.describe_confusion_matrix(worked.C_z, NAMES) == (
        "Confusion matrix of 12 samples, 7 of them right. "
        "True vertical (support 6), called vertical: 4, horizontal: 2, diagonal: 0. "
        "True horizontal (support 4), called vertical: 1, horizontal: 3, diagonal: 0. "
        "True diagonal (support 2), called vertical: 1, horizontal: 1, diagonal: 0."
    )


def test_classes_without_names_are_told_from_counts():
    assert plots.describe_confusion_matrix([[4, 2], [0, 3]]) == (
        "Confusion matrix of 9 samples, 7 of them right. "
        "True class 0 (support 6), called class 0: 4, class 1: 2. "
        "True class 1 (support 3), called class 0: 0, class 1: 3."
    )


@pytest.mark.parametrize("normalize", ["true", "pred", "all"])
def test_every_share_that_a_cell_shows_is_told(ax, normalize):
    C = [[4, 2, 0], [1, 3, 0], [0, 0, 0]]
    plots.confusion_matrix(C, normalize=normalize, ax=ax)
    told = plots.describe_confusion_matrix(C, normalize=normalize)
    cells = [text.get_text().replace("\n", " ").replace("–", "undefined") for text in ax.texts]
    assert re.findall(r"class \d: (\S+ \(\d+\))", told) == cells
    share_of = {"true": "each true class", "pred": "each predicted class", "all": "all samples"}
    assert f" Shares of {share_of[normalize]}, counts in parentheses. True class 0 " in told


def test_describe_reliability(table):
    told = plots.describe_reliability(table)
    assert told.startswith(
        "Reliability diagram of 6 samples in 5 bins, 2 empty. [0.4, 0.6): 2 samples"
    )
    assert "[0.6, 0.8): 1 sample, mean confidence 0.7000, accuracy 1.0000" in told
    assert "[0.8, 1]: 3 samples, mean confidence 0.9500, accuracy 0.6667" in told
    right = core.Binning.uniform(2, "right")
    told = plots.describe_reliability(core.reliability_table([0.0, 0.7], [0, 1], right))
    assert re.findall(r"[\[(][^\])]*[\])](?=: 1)", told) == ["[0, 0.5]", "(0.5, 1]"]


def test_describe_temperature_curve():
    assert plots.describe_temperature_curve([2, 0.5, 1], [0.7, 0.6, 0.5]) == (
        "Log loss against temperature: 0.600000 at T = 0.5, least at T = 1 with 0.500000, "
        "0.700000 at T = 2."
    )


def test_the_curve_is_described_with_the_minimum_that_is_marked(ax):
    curve, marked = ([2, 0.5, 1], [0.7, 0.6, 0.5]), (0.904528, 0.490016)
    plots.temperature_curve(*curve, ax=ax, minimum=marked)
    assert ax.get_legend().get_texts()[1].get_text() == "least at T = 0.904528: 0.4900"
    assert plots.describe_temperature_curve(*curve, minimum=marked) == (
        "Log loss against temperature: 0.600000 at T = 0.5, least at T = 0.904528 with 0.490016, "
        "0.700000 at T = 2."
    )


def test_describe_threshold_sweep(sweep):
    assert plots.describe_threshold_sweep(sweep, [0.3, 1.0]) == (
        "At threshold 0.3: 2 true positive, 1 false positive, 0 false negative, 1 true negative; "
        "precision 0.6667, recall 1.0000. "
        "At threshold 1: 0 true positive, 0 false positive, 2 false negative, 2 true negative; "
        "precision undefined, recall 0.0000."
    )


def test_risk_coverage_draws_both_columns_and_lays_a_second_curve_over_the_first(ax):
    curve = core.risk_coverage_curve(CONFIDENCE, CORRECT)
    plots.risk_coverage(curve, ax=ax)
    plots.risk_coverage(core.risk_coverage_curve(CONFIDENCE[::-1], CORRECT), ax=ax, label="other")
    first, second = ax.lines
    np.testing.assert_array_equal(first.get_xdata(), curve.coverage)
    np.testing.assert_array_equal(first.get_ydata(), curve.risk)
    assert first.get_linestyle() != second.get_linestyle()
    assert first.get_marker() != second.get_marker()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["risk", "other"]
    low, high = ax.get_ylim()
    assert low < 0
    assert high > max(max(line.get_ydata()) for line in ax.lines)


def test_describe_risk_coverage():
    curve = core.risk_coverage_curve([0.9, 0.8, 0.3], [1, 0, 0])
    assert plots.describe_risk_coverage(curve, [0.1, 0.6, 1]) == (
        "Risk against coverage of 3 samples. "
        "Answering from confidence 0.9, coverage 0.3333, risk 0.0000. "
        "Answering from confidence 0.8, coverage 0.6667, risk 0.5000. "
        "Answering from confidence 0.3, coverage 1.0000, risk 0.6667."
    )


def test_a_point_that_reaches_two_coverages_is_told_once():
    curve = core.risk_coverage_curve([0.9, 0.3, 0.3], [1, 0, 0])
    told = plots.describe_risk_coverage(curve, [0.5, 0.8, 1])
    assert told.count("Answering from confidence 0.3, coverage 1.0000, risk 0.6667.") == 1
    assert told.count("Answering") == 1


def test_measured_curves_draws_values_and_intervals_under_different_signs(ax):
    curves = {"with ends": [[3, 2, 1], [2, 1, 0.5], [5, 4, 2]], "plain": [3.0, 2.0, 1.0]}
    plots.measured_curves([1, 10, 100], curves, "samples", "error", ax=ax, x_scale="log")
    other, plain = (
        line for line in ax.lines if len(line.get_xdata()) == 3 and line.get_ls() != "None"
    )
    np.testing.assert_array_equal(plain.get_ydata(), [3, 2, 1])
    assert plain.get_linestyle() != other.get_linestyle()
    assert plain.get_marker() != other.get_marker()
    (bars,) = ax.containers
    ends = [segment[:, 1].tolist() for segment in bars.lines[2][0].get_segments()]
    assert ends == [[2, 5], [1, 4], [0.5, 2]]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "linear")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["with ends", "plain"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "10", "100"]


def test_describe_measured_curves():
    told = plots.describe_measured_curves([1, 2], {"a": [[1, 2], [0, 1], [3, 4]]}, "n", "gap", 1)
    assert (
        told == "gap against n. a: 1.0 (interval 0.0 to 3.0) at 1, 2.0 (interval 1.0 to 4.0) at 2."
    )


@pytest.mark.parametrize(
    ("x", "curves", "message"),
    [
        ([], {"a": []}, "x must be a non-empty vector"),
        ([1, 2], {}, "curves must be one to 4, not 0"),
        ([1, 2], {name: [1, 2] for name in "abcde"}, "curves must be one to 4, not 5"),
        ([1, 2], {"a": [1, 2, 3]}, r"curves\['a'\] must be of shape"),
    ],
)
def test_measured_curves_refuses_what_does_not_fit(x, curves, message):
    with pytest.raises(ValueError, match=message):
        plots.measured_curves(x, curves, "n", "gap")
