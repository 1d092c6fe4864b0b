"""What is handed to the makers of boxes: words that cannot pose as others."""

from __future__ import annotations

from pathlib import Path

import pytest

from backend.tools.box.view import View
from backend.tools.box.wrapping import bubblewrap, launcher

FORGED = "x\0write\x001\0/"


@pytest.mark.parametrize("namespaces", [True, False])
def test_no_argument_of_a_program_opens_a_folder_to_it(tmp_path: Path, namespaces: bool) -> None:
    wrapped = launcher(
        ["/bin/echo", FORGED], {}, "/", lambda: View(tmp_path, (), (), (), (), network=False), namespaces=namespaces
    )
    if wrapped is None:
        pytest.skip("this machine has no filter for our launcher")
    with pytest.raises(ValueError, match="null byte"):
        wrapped.words()


def test_no_variable_of_a_program_opens_a_folder_to_it(tmp_path: Path) -> None:
    wrapped = bubblewrap(
        ["/bin/echo"], {"A": "x\0--bind\0/\0/"}, "/", lambda: View(tmp_path, (), (), (), (), network=False)
    )
    with pytest.raises(ValueError, match="null byte"):
        wrapped.words()
