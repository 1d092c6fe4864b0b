"""What is encrypted is read with its own key only, also what held nothing and was read before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from backend.secrets import cipher


@pytest.fixture(autouse=True)
def keys() -> Iterator[None]:
    """The keys of other tests come back."""
    before = cipher.keys()
    yield
    cipher.restore(before)


@pytest.mark.parametrize("value", [{}, {"api_key": "k"}])
def test_a_value_is_read_again_and_never_with_another_key(value: dict[str, str]) -> None:
    cipher.configure(["a key of sixteen or more"])
    token = cipher.encrypt(value)
    assert cipher.decrypt(token) == cipher.decrypt(token) == value
    cipher.decrypt(token)["new"] = "one's own copy"
    assert cipher.decrypt(token) == value
    cipher.configure(["another key of that length"])
    with pytest.raises(cipher.NoKeyFits):
        cipher.decrypt(token)
