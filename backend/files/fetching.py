"""Files that a message of a program names by address: fetched through the guarded client before anything is started."""

from __future__ import annotations

import asyncio
import logging
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from django.conf import settings

from backend.engine.language.clean import clean_text
from backend.errors import PatchbayError, ValidationFailed
from backend.files.services import mime_of
from backend.net.rules import NetworkRules
from backend.net.urls import url_problem

log = logging.getLogger(__name__)

PATIENCE_S = 20.0
"""For one file."""
MOST = 10
"""Files that one message names by address."""
Fetched = tuple[bytes, str, str]
"""Bytes, name, mime."""


async def fetched(
    field: str, url: str, rules: NetworkRules, room: int, language: str, name: str = "", mime: str = ""
) -> Fetched:
    """The file at an address, at most `room` bytes. Raises ValidationFailed, which names `field`."""
    import httpx2

    from backend.net.client import GuardedClient, read_capped

    if (problem := url_problem(url)) is not None:
        raise _wrong(field, problem)
    try:
        async with asyncio.timeout(PATIENCE_S), GuardedClient(rules, timeout=PATIENCE_S) as client:
            answer = await client.send(client.build_request("GET", url), stream=True)
            if answer.status_code != 200:
                await answer.aclose()
                raise _wrong(field, f"is answered with status {answer.status_code}")
            data = await read_capped(answer, room)
    except ValidationFailed:
        raise
    except PatchbayError as error:
        raise _wrong(field, error.text(language)[0]) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, TimeoutError) as error:
        log.info("a file of a message could not be fetched: %s", error)
        raise _wrong(field, "cannot be reached") from error
    own = clean_text(unquote(PurePosixPath(urlsplit(url).path).name)) or "file"
    return data, name or own, mime_of(name or own, mime or answer.headers.get("content-type", "").split(";")[0].strip())


def room_for_files() -> int:
    """Bytes that the files of one message have together."""
    return int(settings.PATCHBAY.max_blob_mb * 1024 * 1024)


def _wrong(field: str, sentence: str) -> ValidationFailed:
    return ValidationFailed(fields={field: [sentence]})
