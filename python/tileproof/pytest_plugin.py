# SPDX-License-Identifier: Apache-2.0
"""The pytest plug-in: each cause that the judge finds is one failing test.

    @pytest.mark.tileproof(suite="layout", cases=300)
    def implementation():
        return {"layout.linearize": linearize}

The marked function returns what `tileproof.conform` takes. Its name need not begin with `test_`.
The fixture `tileproof_conform` is `tileproof.conform`, for tests that look at the report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .conformance import Failure, Report, conform


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "tileproof(suite, cases, seed, ..): judge the implementation that the function returns",
    )


@pytest.fixture(scope="session")
def tileproof_conform() -> Callable[..., Report]:
    """tileproof.conform."""
    return conform


def pytest_pycollect_makeitem(collector: Any, name: str, obj: Any) -> Any:
    marks = [m for m in getattr(obj, "pytestmark", ()) if m.name == "tileproof"]
    if not marks or not callable(obj):
        return None
    return Judged.from_parent(collector, name=name, function=obj, options=dict(marks[0].kwargs))


class Judged(pytest.Collector):
    """The tests of one implementation: a test for each cause, and one for the whole run."""

    def __init__(self, function: Callable[[], Any], options: dict[str, Any], **rest: Any) -> None:
        super().__init__(**rest)
        self._function = function
        self._options = options

    def collect(self) -> Iterator[pytest.Item]:
        report = conform(self._function(), **self._options)
        for failure in report.failures:
            name = f"{failure.verdict}-{failure.op}-{failure.case}"
            yield CauseItem.from_parent(self, name=name, failure=failure)
        yield RunItem.from_parent(self, name="judge", report=report)


class CauseItem(pytest.Item):
    """Fails with one shrunk counterexample."""

    def __init__(self, failure: Failure, **rest: Any) -> None:
        super().__init__(**rest)
        self._failure = failure

    def runtest(self) -> None:
        raise Counterexample(str(self._failure))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, Counterexample):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class RunItem(pytest.Item):
    """Fails if nothing was answered, or with the first traceback of the implementation."""

    def __init__(self, report: Report, **rest: Any) -> None:
        super().__init__(**rest)
        self._report = report

    def runtest(self) -> None:
        if self._report.exceptions:
            raise Counterexample(self._report.exceptions[0])
        if not self._report.counts.get("pass", 0):
            raise Counterexample(f"no answer was right: {self._report}")

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, Counterexample):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class Counterexample(AssertionError):
    """A request that the implementation answers wrong."""
