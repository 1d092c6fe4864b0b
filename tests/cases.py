"""Many cases in one test: what is alike for each is set up once, and those that fail are named."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

Check = Callable[..., None]


def each(
    cases: Iterable[Any], called: Callable[[Any], str], apart: Callable[[], AbstractContextManager[Any]] = nullcontext
) -> Callable[[Check], Check]:
    """A test of a check that takes a case first, then fixtures: it is tried with every case, whichever fails.

    The failures come together, as a group, each with a note that says its case; `called` gives a case's name. `apart`
    is entered around each case, to take back what it changed. A parametrised test pays for its fixtures and reports
    with every case, which is more than a request takes.
    """
    all_cases = list(cases)

    def decorated(check: Check) -> Check:
        @functools.wraps(check)
        def test(**fixtures: Any) -> None:
            failed: list[Exception] = []
            for case in all_cases:
                try:
                    with apart():
                        check(case, **fixtures)
                except Exception as error:  # noqa: BLE001 - the others are tried all the same
                    error.add_note(f"case: {called(case)}")
                    failed.append(error)
            if failed:
                names = "; ".join(error.__notes__[-1].removeprefix("case: ") for error in failed)
                raise ExceptionGroup(f"{len(failed)} of {len(all_cases)} cases: {names}", failed)

        assert all_cases, f"{check.__name__} tries nothing"
        given = inspect.signature(check, eval_str=False)
        test.__signature__ = given.replace(parameters=list(given.parameters.values())[1:])  # type: ignore[attr-defined]
        return test

    return decorated
