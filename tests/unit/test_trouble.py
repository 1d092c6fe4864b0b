"""Whether an error is this machine's own trouble, whatever it was raised from."""

from __future__ import annotations

import errno

from backend.errors.trouble import of_this_machine


def test_what_an_error_was_raised_from_counts_also_in_a_ring() -> None:
    outer, inner = ValueError("outer"), ValueError("inner")
    outer.__cause__, inner.__cause__ = inner, outer
    assert not of_this_machine(outer)
    outer.__cause__ = outer
    assert not of_this_machine(outer)
    inner.__cause__ = OSError(errno.ENOSPC, "no space")
    outer.__cause__ = inner
    assert of_this_machine(outer)
