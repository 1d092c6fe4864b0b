"""The words and rows of documents: PDF, DOCX, XLSX, CSV, HTML, Markdown and plain text.

It stands alone: the process of `worker` runs this file by its path. What it reads is hostile, and each library is
imported with the first document of its kind; whoever asks kills the process when its time or memory is over.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from typing import Any

UNPACKED = 200 * 1024 * 1024
"""Bytes that an archive (DOCX, XLSX) may have when it is unpacked."""
MOST_PARTS = 10_000
"""Files within an archive."""
MOST_PAGES = 5_000
MOST_CHARACTERS = 4 * 1024 * 1024
"""Characters of text, or of the cells of rows, that one document may give."""
MOST_ROWS = 100_000
MOST_COLUMNS = 1_000

_ENDINGS = {
    "pdf": "pdf", "docx": "docx", "xlsx": "xlsx", "xlsm": "xlsx", "csv": "csv", "tsv": "csv",
    "html": "html", "htm": "html", "xhtml": "html", "md": "markdown", "markdown": "markdown",
}  # fmt: skip
_MIMES = {
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/csv": "csv", "text/tab-separated-values": "csv", "text/html": "html", "application/xhtml+xml": "html",
    "text/markdown": "markdown",
}  # fmt: skip
_MARKED = {"pdf": "PDF", "docx": "DOCX", "xlsx": "XLSX"}
"""Kinds whose files say themselves what they are."""


class Refused(Exception):
    """The document cannot be read; `reason` is one of the catalogue's."""

    def __init__(self, reason: str, **params: Any) -> None:
        super().__init__(reason)
        self.reason, self.params = reason, params


class Room:
    """Counts what a document gives."""

    def __init__(self) -> None:
        self._left = MOST_CHARACTERS

    def take(self, characters: int) -> None:
        """Raise Refused where it becomes too much."""
        self._left -= characters
        if self._left < 0:
            raise Refused("too_much", limit=MOST_CHARACTERS // (1024 * 1024))

    def text(self, text: str) -> str:
        """A text of the document."""
        self.take(len(text))
        return text


def document(data: bytes, name: str, mime: str, form: str, sheet: str) -> dict[str, Any]:
    """`{"value": {text, rows, pages, meta}}` of a document, or `{"failed": {reason, ...}}`."""
    try:
        kind = kind_of(data, name, mime)
        reader = _READERS[kind]
        text, rows, pages, meta = reader(data, form, sheet, Room())
    except Refused as refused:
        return {"failed": {"reason": refused.reason, **refused.params}}
    if form == "rows" and rows is None:
        return {"failed": {"reason": "no_rows", "kind": kind}}
    meta = {"kind": kind, "name": name, "size": len(data)} | meta
    return {"value": {"text": text, "rows": rows or [], "pages": pages, "meta": meta}}


def kind_of(data: bytes, name: str, mime: str) -> str:
    """What kind of document it is: what the bytes say, else the name or the type that it was given. Raises Refused."""
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    named = _ENDINGS.get(ending) or _MIMES.get(mime.split(";")[0].strip().lower())
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data[:4] == b"PK\x03\x04":
        return _archive_kind(data)
    if data[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise Refused("old_office")
    if named in _MARKED:
        raise Refused("not_what_it_says", kind=_MARKED[named])
    if b"\0" in data[:4096] and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise Refused("unknown_kind", mime=mime)
    if named is None and re.match(rb"\s*(<!doctype html|<html[\s>])", data[:1024], re.IGNORECASE):
        return "html"
    return named or "text"


def _archive_kind(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise Refused("unreadable", why="the archive is damaged") from None
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > UNPACKED:
        raise Refused("bomb", limit=UNPACKED // (1024 * 1024))
    names = {part.filename for part in parts}
    if "word/document.xml" in names:
        return "docx"
    if "xl/workbook.xml" in names:
        return "xlsx"
    raise Refused("unknown_kind", mime="application/zip")


Read = tuple[str, list[dict[str, Any]] | None, list[str], dict[str, Any]]
"""text, rows (None where the kind has none), pages, what else is known."""


def _pdf(data: bytes, form: str, sheet: str, room: Room) -> Read:
    import logging

    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        with _library():
            reader = PdfReader(io.BytesIO(data))
            if reader.is_encrypted and not reader.decrypt(""):
                raise Refused("encrypted")
            root: Any = reader.trailer["/Root"]
            claimed = _number(lambda: root["/Pages"]["/Count"])
            count = claimed if claimed > MOST_PAGES else len(reader.pages)
            if count > MOST_PAGES:
                raise Refused("too_many_pages", pages=count, most=MOST_PAGES)
            about: Any = reader.metadata or {}
            known = {
                key: str(about[f"/{key.title()}"])[:500] for key in ("title", "author") if about.get(f"/{key.title()}")
            }
        pages = [
            room.text(text) for text in _of_library(lambda: (page.extract_text().strip() for page in reader.pages))
        ]
    except Refused as refused:
        cause = refused.__cause__
        if isinstance(cause, PyPdfError | NotImplementedError) and re.search("password|encrypt", str(cause).lower()):
            raise Refused("encrypted") from cause
        raise
    return "\n\n".join(pages), None, pages, {"pages": len(pages), **known}


def _number(get: Callable[[], Any]) -> int:
    try:
        return int(get())
    except Exception:  # noqa: BLE001 - a damaged file: the pages are counted
        return 0


def _why(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]


def _docx(data: bytes, form: str, sheet: str, room: Room) -> Read:
    import mammoth

    def unseen(_: Any) -> Any:
        return []

    with _library():
        result = mammoth.convert_to_html(io.BytesIO(data), convert_image=unseen)
    return _of_html(result.value, form, room)


def _html(data: bytes, form: str, sheet: str, room: Room) -> Read:
    return _of_html(decoded(data), form, room)


def _of_html(html: str, form: str, room: Room) -> Read:
    from bs4 import BeautifulSoup

    try:
        soup = BeautifulSoup(html, "html.parser")
        for unseen in soup(["script", "style", "noscript", "template", "svg", "head"]):
            unseen.decompose()
        rows = _html_rows(soup, room) if form == "rows" else None
        text = room.text(_markdown_of(soup) if form == "markdown" else _lines(soup))
    except RecursionError:
        raise Refused("unreadable", why="it is nested too deeply") from None
    return text, rows, [text], {}


def _markdown_of(soup: Any) -> str:
    from markdownify import MarkdownConverter

    written = MarkdownConverter(heading_style="ATX", bullets="-", strip=["img"]).convert_soup(soup)
    return re.sub(r"\n{3,}", "\n\n", written).strip()


_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "dd",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tr",
        "ul",
    ]
)


def _lines(soup: Any) -> str:
    """The text of a page, each block in a line of its own and the cells of a row side by side."""
    for tag in soup.find_all(_BLOCKS):
        tag.insert_before("\n")
        tag.insert_after("\n")
    for cell in soup.find_all(["td", "th"]):
        cell.insert_after("\t")
    lines = (re.sub(r"[ \r\f\v]+", " ", line).strip() for line in soup.get_text().split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _html_rows(soup: Any, room: Room) -> list[dict[str, Any]] | None:
    """The rows of the first table."""
    table = soup.find("table")
    if table is None:
        return None
    cells = ([cell.get_text(" ", strip=True) for cell in row.find_all(["td", "th"])] for row in table.find_all("tr"))
    return _rows((row for row in cells if row), room)[0]


def _xlsx(data: bytes, form: str, sheet: str, room: Room) -> Read:
    import warnings

    from openpyxl import load_workbook

    warnings.simplefilter("ignore")
    with _library():
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        names = list(book.sheetnames)
    if sheet and sheet not in names:
        raise Refused("no_sheet", sheet=sheet, sheets=", ".join(names)[:300])
    chosen = [sheet] if sheet else names[:1] if form == "rows" else names
    if form == "rows":
        rows, columns = _rows(_cells(book, chosen[0]) if chosen else iter(()), room)
        return "", rows, [], {"sheets": names, "sheet": "".join(chosen), "columns": columns}
    pages = [_sheet_text(name, _cells(book, name), form, room) for name in chosen]
    return "\n\n".join(pages), None, pages, {"sheets": names}


@contextmanager
def _library() -> Iterator[None]:
    """What a library raises here is told of the document: it raises whatever a damaged file leads it to."""
    try:
        yield
    except (Refused, MemoryError):
        raise
    except Exception as error:
        raise Refused("unreadable", why=_why(error)) from error


def _of_library(items: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    """What a library gives piece by piece; only what it raises itself is told of the document."""
    with _library():
        pieces = iter(items())
    while True:
        with _library():
            piece = next(pieces, _END)
        if piece is _END:
            return
        yield piece


_END = object()


def _cells(book: Any, name: str) -> Iterator[list[Any]]:
    """The rows of a sheet without what is empty at their ends."""
    for cells in _of_library(lambda: book[name].iter_rows(values_only=True, max_col=MOST_COLUMNS)):
        row = [_cell(value) for value in cells]
        while row and row[-1] is None:
            row.pop()
        yield row


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):
        midnight = value.time() == time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no such number
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _sheet_text(name: str, lines: Iterator[list[Any]], form: str, room: Room) -> str:
    rows = [[("" if cell is None else str(cell)) for cell in row] for row in _bounded(lines, room)]
    while rows and not rows[-1]:
        rows.pop()
    if form == "markdown":
        return f"## {name}\n\n{_markdown_table(rows)}".strip()
    return "\n".join(["\t".join(row) for row in rows])


def _markdown_table(rows: list[list[str]]) -> str:
    rows = [row for row in rows if row]
    if not rows:
        return ""
    width = max(map(len, rows))

    def line(row: list[str]) -> str:
        cells = [cell.replace("|", "\\|").replace("\n", " ") for cell in row] + [""] * (width - len(row))
        return f"| {' | '.join(cells)} |"

    return "\n".join([line(rows[0]), line(["---"] * width), *map(line, rows[1:])])


def _csv(data: bytes, form: str, sheet: str, room: Room) -> Read:
    text = decoded(data)
    if form == "text":
        return room.text(text), None, [text], {}
    csv.field_size_limit(MOST_CHARACTERS)
    try:
        lines = csv.reader(io.StringIO(text, newline=""), _dialect(text))
        if form == "rows":
            rows, columns = _rows(lines, room)
            return "", rows, [], {"columns": columns}
        written = _markdown_table(list(_bounded(lines, room)))
    except csv.Error as error:
        raise Refused("unreadable", why=_why(error)) from error
    return written, None, [written], {}


def _dialect(text: str) -> Any:
    try:
        return csv.Sniffer().sniff(text[:8192], delimiters=",;\t|")
    except csv.Error:
        return csv.excel


def _bounded(lines: Iterator[list[Any]], room: Room) -> Iterator[list[Any]]:
    for number, row in enumerate(lines):
        if number >= MOST_ROWS:
            raise Refused("too_many_rows", most=MOST_ROWS)
        room.take(sum(len(str(cell)) for cell in row if cell is not None) + len(row))
        yield row


def _rows(lines: Iterator[list[Any]], room: Room) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows below the first as objects whose keys are the cells of the first; empty rows are left out."""
    filled = (row for row in _bounded(lines, room) if any(cell not in (None, "") for cell in row))
    first = next(filled, [])
    columns = _columns(first)
    rows: list[dict[str, Any]] = []
    for row in filled:
        columns += [f"column_{number + 1}" for number in range(len(columns), len(row))]
        room.take(sum(map(len, columns)))
        rows.append(dict(itertools.zip_longest(columns, row[: len(columns)])))
    return rows, columns


def _columns(first: list[Any]) -> list[str]:
    """Names of columns: as the first row has them, none empty and none twice."""
    names: list[str] = []
    for number, cell in enumerate(first):
        name = str(cell).strip() if cell not in (None, "") else f"column_{number + 1}"
        while name in names:
            name = f"{name}_{number + 1}"
        names.append(name)
    return names


def _plain(data: bytes, form: str, sheet: str, room: Room) -> Read:
    text = room.text(decoded(data))
    return text, None, [text], {}


def decoded(data: bytes) -> str:
    """The text of a file: by its mark, as UTF-8, else as the encoding that Chinese Windows writes, else as Latin-1."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


_READERS: dict[str, Callable[[bytes, str, str, Room], Read]] = {
    "pdf": _pdf, "docx": _docx, "xlsx": _xlsx, "csv": _csv, "html": _html, "markdown": _plain, "text": _plain,
}  # fmt: skip
