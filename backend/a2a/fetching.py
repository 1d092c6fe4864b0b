"""Files that a message names by address: fetched through the guarded client before anything is started."""

from __future__ import annotations

import asyncio
import logging
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from django.conf import settings

from backend.a2a.threads import in_thread
from backend.accounts.teams.outbound import network_rules
from backend.errors import PatchbayError, ValidationFailed
from backend.files.services import mime_of
from backend.net.urls import url_problem

log = logging.getLogger(__name__)

PATIENCE_S = 20.0
"""For one file."""
MOST = 10
"""Files that one message names by address."""


async def fetched(at: int, url: str, name: str, mime: str, room: int, language: str) -> tuple[bytes, str, str]:
    """(bytes, name, mime) of the file at an address, at most `room` bytes. Raises ValidationFailed (`parts.<at>`)."""
    import httpx2

    from backend.net.client import GuardedClient, read_capped

    if (problem := url_problem(url)) is not None:
        raise _wrong(at, problem)
    rules = await in_thread(network_rules)
    try:
        async with asyncio.timeout(PATIENCE_S), GuardedClient(rules, timeout=PATIENCE_S) as client:
            answer = await client.send(client.build_request("GET", url), stream=True)
            if answer.status_code != 200:
                await answer.aclose()
                raise _wrong(at, f"is answered with status {answer.status_code}")
            data = await read_capped(answer, room)
    except ValidationFailed:
        raise
    except PatchbayError as error:
        raise _wrong(at, error.text(language)[0]) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, TimeoutError) as error:
        log.info("a file of a message could not be fetched: %s", error)
        raise _wrong(at, "cannot be reached") from error
    own = unquote(PurePosixPath(urlsplit(url).path).name) or "file"
    return data, name or own, mime_of(name or own, mime or answer.headers.get("content-type", "").split(";")[0].strip())


def room_for_files() -> int:
    """Bytes that the files of one message have together."""
    return int(settings.PATCHBAY.max_blob_mb * 1024 * 1024)


def _wrong(at: int, sentence: str) -> ValidationFailed:
    return ValidationFailed(fields={f"parts.{at}": [sentence]})
