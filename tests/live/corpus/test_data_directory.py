"""Every run that an older version left in the middle of something goes on in this one, from its data directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus import outside
from tests.corpus.api_user import from_data
from tests.corpus.comparing import VERSIONS, everything_else_is_there, finish_and_compare

pytestmark = pytest.mark.wide


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", VERSIONS)
def test_a_data_directory_goes_on(tmp_path: Path, name: str) -> None:
    with outside.outside():
        office = from_data(name, tmp_path)
        try:
            finish_and_compare(office, name)
            everything_else_is_there(office)
        finally:
            office.instance.kill()
