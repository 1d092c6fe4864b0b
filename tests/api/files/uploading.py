"""Files given over the API."""

from __future__ import annotations

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.people import Person


def upload(who: Person, data: bytes, name: str = "a.png", mime: str = "image/png") -> dict[str, object]:
    answer = who.api.client.post("/api/files", {"file": SimpleUploadedFile(name, data, mime)})
    assert answer.status_code == 201, answer.content
    shape: dict[str, object] = answer.json()
    return shape
