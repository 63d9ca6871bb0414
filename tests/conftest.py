"""The suite's switches.

`UNBRAID_NO_SKIPS=1` turns every skip into a failure: in CI a test that cannot run is a failing one.
`HYPOTHESIS_PROFILE=ci` runs the property tests the same way every time, and longer.
"""

from __future__ import annotations

import gc
import itertools
import os
import signal
import sys
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

NO_SKIPS = os.environ.get("UNBRAID_NO_SKIPS") == "1"

settings.register_profile("default", deadline=None)
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    max_examples=200,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# A shell that runs the suite in the background ignores SIGINT for it, and so would every program
# that a test starts and ends with Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Several times what `play` and its like give a CLI, which they start up to three times in a test.
CLI_TIMEOUT_SECONDS = 400
# An event loop swallows what a signal raises in some of its own lines: then it is raised again.
RAISED_AGAIN_SECONDS = 10.0
# What is left of a test's time limit, and the seconds after which it is raised again.
TIME_LEFT = pytest.StashKey[tuple[float, float]]()
NO_LIMIT = (0.0, 0.0)
# The share of the short tests after which all long ones have begun.
LONG_UNTIL = 0.75


# What is imported and collected stays until the end. To look through it for garbage, again and
# again while it grows and later in tests, costs more than the garbage of that time.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("cli") is not None:
            # A CLI may end before it has written all its numbers, or get no processor for so long
            # that it is late: only that is tried again, and shown as a rerun. A wrong or missing
            # word fails at once.
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun=["Timeout", "Late:"]))
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(CLI_TIMEOUT_SECONDS))
    items[:] = _spread(items)


def _weight(item: pytest.Item) -> float:
    """Return how long a test takes, roughly: who needs a longer time limit is long."""
    if marker := item.get_closest_marker("timeout"):
        return float(marker.args[0])
    return float("browser" in getattr(item, "fixturenames", ()))


def _spread(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return tests in the order in which workers take them. Long ones wait for other programs for
    most of their time, in which short ones can compute: so they are spread among these. The longest
    are first, and none is at the end, where it would leave the other workers idle. What a module
    shares is made again after an interruption: so modules stay together, but those of the longest.
    """
    short = [item for item in items if not _weight(item)]
    long = sorted((item for item in items if _weight(item)), key=_weight, reverse=True)
    parts = itertools.groupby(long, key=lambda item: item if _weight(item) > 1 else item.path)
    left = [list(part) for _, part in parts][::-1]
    ordered: list[pytest.Item] = []
    placed = passed = 0
    for _, module in itertools.groupby(short, key=lambda item: item.path):
        while left and placed <= len(long) * passed / (len(short) * LONG_UNTIL):
            placed += len(left[-1])
            ordered += left.pop()
        ordered += (tests := list(module))
        passed += len(tests)
    return ordered + list(itertools.chain.from_iterable(reversed(left)))


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> Generator[None, object, object]:
    done = yield
    if settings.method == "signal":
        item.stash[TIME_LEFT] = settings.timeout, RAISED_AGAIN_SECONDS
        _stop_timer()
    return done


@pytest.hookimpl(wrapper=True)
def pytest_timeout_cancel_timer(item: pytest.Item) -> Generator[None, object, object]:
    # Also at the first failure that is seen: the fixtures are torn down in whatever time it takes.
    item.stash[TIME_LEFT] = NO_LIMIT
    return (yield)


def _limited(item: pytest.Item) -> Generator[None, object, object]:
    """Lets the time limit count during a phase of a test, which fails then. What is raised between
    two phases, where a report is made and sent, would end the whole worker; on a busy machine that
    takes long.
    """
    if (left := item.stash.get(TIME_LEFT, NO_LIMIT)) != NO_LIMIT:
        signal.setitimer(signal.ITIMER_REAL, *left)
    try:
        return (yield)
    finally:
        if left != NO_LIMIT:
            item.stash[TIME_LEFT] = _stop_timer()


def _stop_timer() -> tuple[float, float]:
    """Stops the timer, and returns what was left of it."""
    left, again = signal.setitimer(signal.ITIMER_REAL, 0)
    return left, again


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _limited(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _limited(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _limited(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if NO_SKIPS and report.skipped and not hasattr(report, "wasxfail"):
        _fail(report)
    if report.failed:
        # What a test that was cut off leaves open is warned of whenever it is collected: an error
        # of whichever test runs then.
        sys.unraisablehook = lambda _: None
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if NO_SKIPS and report.skipped:
        _fail(report)
    return report


def _fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"No test may be skipped here (UNBRAID_NO_SKIPS=1): {reason}"
