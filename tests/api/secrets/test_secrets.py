"""Named secrets: written and never read back, encrypted in the database, rotated, refused with a wrong key."""

from __future__ import annotations

import io

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.db import connection

from backend.secrets import cipher
from backend.secrets.models import Secret
from backend.secrets.rotation import check_keys, rotate_all
from tests.people import Person

VALUE = "a-very-secret-value-1234"


def stored() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT value FROM secrets_secret")
        return str(cursor.fetchone()[0])


def test_a_secret_goes_in_and_never_comes_out(adam: Person, vera: Person) -> None:
    created = adam.api.post("/api/secrets", {"name": "github", "value": VALUE, "hosts": ["api.github.com"]})
    assert created.status == 201
    assert created.data["hint"] == "····1234"
    listed = vera.api.get("/api/secrets")
    assert listed.data["results"][0]["name"] == "github"
    assert VALUE not in created.text + listed.text
    assert VALUE not in stored()
    assert Secret.objects.get().value == VALUE


def test_a_short_secret_gives_no_hint(adam: Person) -> None:
    assert adam.api.post("/api/secrets", {"name": "pin", "value": "12345"}).data["hint"] == "····"


def test_only_admins_write(bob: Person, adam: Person) -> None:
    assert bob.api.post("/api/secrets", {"name": "x", "value": "y"}).status == 403
    adam.api.post("/api/secrets", {"name": "x", "value": "y"})
    assert bob.api.patch("/api/secrets/x", {"value": "z"}).status == 403
    assert bob.api.delete("/api/secrets/x").status == 403


def test_a_strangers_secret_does_not_exist(adam: Person, charlie: Person) -> None:
    adam.api.post("/api/secrets", {"name": "x", "value": "y"})
    assert charlie.api.get("/api/secrets").data["results"] == []
    assert charlie.api.patch("/api/secrets/x", {"value": "z"}).status == 404
    assert charlie.api.delete("/api/secrets/x").status == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "1x", "value": "y"}, "name"),
        ({"name": "x"}, "value"),
        ({"name": "x", "value": "y", "hosts": ["http://a b"]}, "hosts.0"),
        ({"name": "x", "value": "y", "hosts": "a"}, "hosts"),
    ],
)
def test_bad_input_names_the_field(adam: Person, body: dict[str, object], field: str) -> None:
    answer = adam.api.post("/api/secrets", body)
    assert (answer.status, list(answer.data["fields"])) == (400, [field])


def test_a_name_is_given_once(adam: Person) -> None:
    adam.api.post("/api/secrets", {"name": "x", "value": "y"})
    assert adam.api.post("/api/secrets", {"name": "x", "value": "z"}).status == 409


def test_rotation_moves_every_value_to_the_newest_key(adam: Person) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    keys = cipher.keys()
    try:
        cipher.configure([old])
        adam.api.post("/api/secrets", {"name": "x", "value": VALUE})
        cipher.configure([new, old])
        out = io.StringIO()
        call_command("rotate_secrets", stdout=out)
        assert out.getvalue().startswith("1 values")
        cipher.configure([new])
        assert Secret.objects.get().value == VALUE
        cipher.configure([old])
        with pytest.raises(cipher.NoKeyFits):
            check_keys()
        with pytest.raises(cipher.NoKeyFits):
            rotate_all()
    finally:
        cipher.restore(keys)


@pytest.mark.django_db
def test_an_empty_installation_starts_with_any_key() -> None:
    check_keys()
