"""Answers that are sent while they are read, so that their size is nobody's memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, TypeVar

from django.db import InterfaceError, InternalError, OperationalError, connection
from django.db.models import Model, Q, QuerySet
from django.http import StreamingHttpResponse

from backend.database.threads import in_thread
from backend.engine.execution.ports import DatabaseUnavailable

M = TypeVar("M", bound=Model)
LINES = "application/x-ndjson"
"""The media type of a file whose every line is JSON."""


def newest_first(rows: QuerySet[M], size: int) -> Iterator[list[M]]:
    """All rows by `created_at` and key, newest first, `size` at a time, each a query of its own."""
    rows = rows.order_by("-created_at", "-pk")
    last: Any = None
    while True:
        more = rows
        if last is not None:
            at = last.created_at
            more = rows.filter(Q(created_at__lte=at), Q(created_at__lt=at) | Q(pk__lt=last.pk))
        chunk = list(more[:size])
        if chunk:
            yield chunk
        if len(chunk) < size:
            return
        last = chunk[-1]


def file_of(lines: Iterator[str], name: str, mime: str) -> StreamingHttpResponse:
    """An answer that is a file of text, read chunk by chunk."""
    response = StreamingHttpResponse(_sent(lines), content_type=f"{mime}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


async def _sent(lines: Iterator[str]) -> AsyncIterator[str]:
    """The lines, each chunk read in a thread of the database when the one before is sent."""
    while (chunk := await in_thread(_next, lines)) is not None:
        yield chunk


def _next(lines: Iterator[str]) -> str | None:
    """The next chunk. Never asked again once it failed: an iterator that raised seems to be at its end."""
    try:
        return next(lines, None)
    except (OperationalError, InterfaceError, InternalError) as error:
        connection.close()
        raise DatabaseUnavailable(str(error)) from error
