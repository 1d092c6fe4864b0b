"""Files: stored once per team, read by members only, never shown as a page."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

from backend.files.models import Blob, File
from tests.api.files.uploading import upload
from tests.people import Person


def test_the_same_bytes_are_stored_once(bob: Person) -> None:
    first, second = upload(bob, b"bytes"), upload(bob, b"bytes", "b.png")
    assert first["id"] != second["id"]
    assert Blob.objects.count() == 1
    assert bob.api.client.get(f"/api/files/{first['id']}").content == b"bytes"


def test_a_strangers_file_does_not_exist(bob: Person, charlie: Person) -> None:
    created = upload(bob, b"bytes")
    blob = Blob.objects.get()
    assert charlie.api.get(f"/api/files/{created['id']}").status == 404
    assert charlie.api.get(f"/api/files/{blob.id}").status == 404


def test_a_page_is_only_ever_a_download(bob: Person) -> None:
    created = upload(bob, b"<script>alert(1)</script>", 'x"\r\n.html', "text/html")
    answer = bob.api.client.get(f"/api/files/{created['id']}")
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert "sandbox" in answer.headers["Content-Security-Policy"]


def test_a_file_is_needed(bob: Person) -> None:
    answer = bob.api.client.post("/api/files", {})
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == ["file"]


def test_viewers_do_not_upload(vera: Person) -> None:
    answer = vera.api.client.post("/api/files", {"file": SimpleUploadedFile("a", b"x")})
    assert answer.status_code == 403


def test_one_that_is_too_large_is_413(bob: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.PATCHBAY, "max_blob_mb", 0.001)
    answer = bob.api.client.post("/api/files", {"file": SimpleUploadedFile("a.png", b"x" * 2000, "image/png")})
    assert (answer.status_code, answer.json()["code"]) == (413, "TOO_LARGE")
    assert File.objects.count() == 0


@pytest.mark.parametrize(
    ("name", "said", "kept"),
    [
        ("notes.md", "application/octet-stream", "text/markdown"),
        ("a.yaml", "application/octet-stream", "application/yaml"),
        ("a.png", "application/octet-stream", "image/png"),
        ("a.png", "text/plain", "text/plain"),
        ("a.patch-cable", "application/octet-stream", "application/octet-stream"),
    ],
)
def test_what_the_client_does_not_know_the_name_says(bob: Person, name: str, said: str, kept: str) -> None:
    assert upload(bob, b"bytes", name, said)["mime"] == kept
