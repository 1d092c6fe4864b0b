"""Keys: rotated everywhere at once, and no start with one that does not fit a single secret."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

import pytest
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.db import connection

from backend.providers.models import Provider
from backend.registry.models import Server
from backend.secrets import cipher
from backend.secrets.models import Secret
from backend.secrets.rotation import _columns, _rows, check_keys
from tests.api.security.seeded import SeededTeam, seed
from tests.people import Person

OLD, NEW, OTHER = (Fernet.generate_key().decode() for _ in range(3))


@pytest.fixture(autouse=True)
def keys_as_before() -> Iterator[None]:
    before = cipher.keys()
    cipher.configure([OLD])
    yield
    cipher.restore(before)


@pytest.fixture
def held(alice: Person) -> SeededTeam:
    """Secrets under the old key, a second factor among them."""
    team = seed(alice)
    data = {"secret": cipher.encrypt("JBSWY3DPEHPK3PXP")}
    Authenticator.objects.create(user=alice.user, type=Authenticator.Type.TOTP, data=data)
    return team


def stored() -> list[str]:
    """Every encrypted text of the database."""
    texts = [token for table, key, column in _columns() for _, token in _rows(table, key, column, None)]
    return [*texts, *(row.data["secret"] for row in Authenticator.objects.all())]


def test_a_rotation_reaches_every_place(held: SeededTeam) -> None:
    before = stored()
    assert len(before) > 8
    cipher.configure([NEW, OLD])
    out = io.StringIO()
    call_command("rotate_secrets", stdout=out)
    assert out.getvalue().startswith(f"{len(before)} values")
    cipher.configure([NEW])
    check_keys()
    assert set(before).isdisjoint(stored())
    own = (*(row.secrets for row in Server.objects.all()), *(row.secrets for row in Provider.objects.all()))
    kept = json.dumps(own)
    kept += json.dumps([row.value for row in Secret.objects.all()])
    shown_once = {"token", "invitation"}
    for place, secret in held.planted.items():
        assert secret in kept or place in shown_once, place


def test_a_rotation_is_safe_to_repeat_and_to_leave_half_done(held: SeededTeam) -> None:
    cipher.configure([NEW, OLD])
    call_command("rotate_secrets", stdout=io.StringIO())
    cipher.configure([OTHER, NEW, OLD])
    call_command("rotate_secrets", stdout=io.StringIO())
    call_command("rotate_secrets", stdout=io.StringIO())
    cipher.configure([OTHER])
    check_keys()


@pytest.mark.parametrize("keys", [[NEW], [OTHER, NEW]])
def test_no_start_with_keys_that_do_not_fit(held: SeededTeam, keys: list[str]) -> None:
    cipher.configure(keys)
    with pytest.raises(cipher.NoKeyFits):
        check_keys()


def test_no_start_where_a_single_secret_cannot_be_read(held: SeededTeam) -> None:
    """One of many, and not the first."""
    last = Server.objects.order_by("-pk").first()
    assert last is not None
    cipher.configure([OTHER])
    foreign = cipher.encrypt({"api_key": "x"})
    cipher.configure([OLD])
    check_keys()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE registry_server SET secrets = %s WHERE id = %s", [foreign, last.pk])
    with pytest.raises(cipher.NoKeyFits):
        check_keys()


def test_no_start_where_only_a_second_factor_cannot_be_read(alice: Person) -> None:
    data = {"secret": cipher.encrypt("JBSWY3DPEHPK3PXP")}
    Authenticator.objects.create(user=alice.user, type=Authenticator.Type.TOTP, data=data)
    cipher.configure([NEW])
    with pytest.raises(cipher.NoKeyFits):
        check_keys()


@pytest.mark.parametrize("key", ["", "short", "x" * 15])
def test_a_key_that_is_too_easy_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="16 characters"):
        cipher.configure([key])
