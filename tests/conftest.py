"""What all tests share: the long ones are chosen by name, and CI skips nothing."""

import os
import signal

import pytest

# A shell without job control has what runs behind it ignore Ctrl-C, and all commands that a test
# starts would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "check_all: takes long; runs with GLYPHLAB_CHECK_ALL=1 only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long tests to `make check-all`."""
    if os.environ.get("GLYPHLAB_CHECK_ALL"):
        return
    long = [item for item in items if item.get_closest_marker("check_all")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Turn a skipped test into a failed one where nothing may be skipped."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {report.longrepr}"
    return report
