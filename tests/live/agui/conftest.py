"""An installation whose workflows are offered to front ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.instance import installation
from tests.live.agui.fronting import Fronting


@pytest.fixture(scope="package")
def fronting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fronting]:
    patchbay = installation(tmp_path_factory.mktemp("agui")).start()
    try:
        yield Fronting(patchbay, patchbay.token())
    finally:
        patchbay.kill()
