"""Documents in the sandbox: what stands in each kind, and what hostile ones come to."""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import Any

import pytest

from backend.errors import InternalError
from backend.sandbox import documents
from backend.sandbox.document_work import document
from backend.sandbox.documents import DocumentValue, Form, read_document
from tests.unit.sandbox import papers


async def read(data: bytes, name: str, form: Form = "text", sheet: str = "", mime: str = "") -> DocumentValue:
    """What is read in a process of its own, which is what the same code reads in this one."""
    answer = await read_document(data, name, mime, form, sheet)
    assert "value" in answer, answer
    assert json.loads(json.dumps(document(data, name, mime, form, sheet))) == answer
    return answer["value"]


async def refused(data: bytes, name: str, form: Form = "text", sheet: str = "", mime: str = "") -> dict[str, Any]:
    answer = await read_document(data, name, mime, form, sheet)
    assert "failed" in answer, answer["value"]["text"][:100]
    return answer["failed"]


async def test_a_pdf_gives_its_pages() -> None:
    value = await read(papers.pdf("First page", "Second page"), "a.pdf")
    assert value["pages"] == ["First page", "Second page"]
    assert value["text"] == "First page\n\nSecond page"
    assert value["meta"] == {
        "kind": "pdf",
        "name": "a.pdf",
        "size": len(papers.pdf("First page", "Second page")),
        "pages": 2,
    }


WORD = papers.docx(
    papers.paragraph("Title", "Heading1")
    + papers.paragraph("One &amp; two")
    + papers.word_table(("name", "n"), ("a", "1"))
)


async def test_a_word_file_gives_text_markdown_and_the_rows_of_its_table() -> None:
    text = (await read(WORD, "a.docx"))["text"]
    assert [line for line in text.split("\n") if line][:2] == ["Title", "One & two"]
    written = (await read(WORD, "a.docx", "markdown"))["text"]
    assert "One & two" in written and "| name | n |" in written
    assert (await read(WORD, "a.docx", "rows"))["rows"] == [{"name": "a", "n": "1"}]


BOOK = papers.xlsx(
    People=[
        ["name", "born", None, "name"],
        ["Ada", date(1815, 12, 10), None, 3.0],
        [None] * 4,
        ["Alan", datetime.fromisoformat("1912-06-23T04:05"), 1.5],
    ],
    More=[["x"], ["|"]],
)


async def test_an_excel_file_gives_rows_by_their_column_names() -> None:
    value = await read(BOOK, "a.xlsx", "rows")
    assert value["rows"] == [
        {"name": "Ada", "born": "1815-12-10", "column_3": None, "name_4": 3},
        {"name": "Alan", "born": "1912-06-23 04:05:00", "column_3": 1.5, "name_4": None},
    ]
    assert value["meta"]["sheets"] == ["People", "More"] and value["meta"]["sheet"] == "People"
    assert (await read(BOOK, "a.xlsx", "rows", "More"))["rows"] == [{"x": "|"}]
    text = await read(BOOK, "a.xlsx")
    assert len(text["pages"]) == 2 and text["pages"][1] == "x\n|"
    assert "## More\n\n| x |\n| --- |\n| \\| |" in (await read(BOOK, "a.xlsx", "markdown"))["text"]
    assert await refused(BOOK, "a.xlsx", "rows", "Nope") == {
        "reason": "no_sheet",
        "sheet": "Nope",
        "sheets": "People, More",
    }


async def test_a_csv_file_is_read_as_it_was_saved() -> None:
    for data in (
        "名称;n\n甲;1\n乙;2\n".encode("gb18030"),
        "名称;n\n甲;1\n乙;2\n".encode(),
        "\ufeff名称;n\r\n甲;1\r\n乙;2".encode("utf-8"),
    ):
        assert (await read(data, "a.csv", "rows"))["rows"] == [{"名称": "甲", "n": "1"}, {"名称": "乙", "n": "2"}]
    assert (await read(b"a\tb\n1\t2\n", "a.tsv", "markdown"))["text"] == "| a | b |\n| --- | --- |\n| 1 | 2 |"
    assert (await read(b"a,b\n1,2\n", "a.csv"))["text"] == "a,b\n1,2\n"


PAGE = (
    "<!doctype html><html><head><title>t</title><script>evil()</script></head><body><h1>Title</h1><p>One <b>two</b></p>"
    "<ul><li>x</li></ul><table><tr><th>a</th></tr><tr><td>1</td></tr></table></body></html>"
)


async def test_a_page_gives_what_a_reader_sees() -> None:
    value = await read(PAGE.encode(), "a.html")
    assert "evil" not in value["text"] and value["text"].split("\n")[0] == "Title" and "One two" in value["text"]
    written = (await read(PAGE.encode(), "page", "markdown"))["text"]
    assert written.startswith("# Title") and "One **two**" in written and "- x" in written
    assert (await read(PAGE.encode(), "a.html", "rows"))["rows"] == [{"a": "1"}]


async def test_texts_are_what_they_are() -> None:
    assert (await read(b"# Title\n", "a.md", "markdown"))["text"] == "# Title\n"
    assert (await read("ünï".encode("utf-16"), "a.txt"))["text"] == "ünï"
    assert (await refused(b"# Title\n", "a.md", "rows"))["reason"] == "no_rows"


async def test_the_bytes_say_what_a_file_is() -> None:
    assert (await read(papers.pdf("Here"), "a.docx"))["text"] == "Here"
    assert await refused(b"no pdf", "a.pdf") == {"reason": "not_what_it_says", "kind": "PDF"}
    assert (await refused(b"x\0y", "a.bin", mime="application/octet-stream"))["reason"] == "unknown_kind"
    assert (await refused(papers.zipped({"a.txt": "x"}), "a.xlsx"))["reason"] == "unknown_kind"
    assert (await refused(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "a.xls"))["reason"] == "old_office"


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7\nrubbish",
        papers.pdf("x")[:200],
        b"PK\x03\x04rubbish",
        papers.zipped({"word/document.xml": "<"}),
        papers.zipped({"xl/workbook.xml": "<"}),
    ],
)
async def test_what_is_damaged_says_so(data: bytes) -> None:
    failure = await refused(data, "a.bin")
    assert failure["reason"] == "unreadable" and failure["why"]


async def test_a_sheet_that_is_damaged_further_down_says_so() -> None:
    parts = papers.unzipped(papers.xlsx(A=[["a"], ["1"]]))
    [name] = [name for name in parts if name.startswith("xl/worksheets/")]
    parts[name] = parts[name].replace(b"</row>", b"</rov>")
    for form in ("text", "rows"):
        failure = await refused(papers.zipped(dict(parts)), "a.xlsx", form)
        assert failure["reason"] == "unreadable" and failure["why"]


async def test_a_number_that_json_has_not_is_a_text() -> None:
    parts = papers.unzipped(papers.xlsx(A=[["n"], [8.25]]))
    [name] = [name for name in parts if name.startswith("xl/worksheets/")]
    parts[name] = parts[name].replace(b"<v>8.25</v>", b"<v>1.0E999</v>")
    assert (await read(papers.zipped(dict(parts)), "a.xlsx", "rows"))["rows"] == [{"n": "inf"}]


def test_a_fault_of_ours_is_not_told_of_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise TypeError("our rows call it wrongly")

    monkeypatch.setattr("itertools.zip_longest", broken)
    with pytest.raises(TypeError):
        document(papers.xlsx(A=[["a"], ["1"]]), "a.xlsx", "", "rows", "")


async def test_a_fault_of_ours_is_heard_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """The file has no name at all, which no caller of ours may say."""
    name: Any = None
    with pytest.raises(InternalError) as raised:
        await read_document(b"Dear diary", name, "", "text")
    assert "fault in Patchbay" in raised.value.text("en")[0]
    [record] = [record for record in caplog.records if record.levelname == "ERROR"]
    assert "TypeError at document_work.py:" in record.getMessage() and "kind_of" in record.getMessage()


async def test_a_pdf_with_a_password_says_so() -> None:
    assert await refused(papers.locked_pdf(), "a.pdf") == {"reason": "encrypted"}


async def test_a_pdf_of_50000_pages_is_refused_by_their_number() -> None:
    assert await refused(papers.many_pages(50_000), "a.pdf") == {
        "reason": "too_many_pages",
        "pages": 50_000,
        "most": 5000,
    }
    lying = papers.many_pages(50_000).replace(b"/Count 50000", b"/Count 1    ")
    assert (await refused(lying, "a.pdf"))["reason"] == "too_many_pages"


async def test_an_archive_bomb_is_not_unpacked() -> None:
    assert await refused(papers.bomb(300), "a.xlsx") == {"reason": "bomb", "limit": 200}


async def test_entities_that_explode_end_with_the_process() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    body = f'<!DOCTYPE x [<!ENTITY l0 "lol">{laughs}]><w:document>&l11;</w:document>'
    assert (await refused(papers.zipped({"word/document.xml": body}), "a.docx"))["reason"] in (
        "unreadable",
        "too_costly",
    )


async def test_a_table_without_end_is_refused() -> None:
    assert (await refused(b"a,b\n" + b"1,2\n" * 100_001, "a.csv", "rows"))["reason"] == "too_many_rows"
    assert (await refused(b"x" * (4 * 1024 * 1024 + 1), "a.txt"))["reason"] == "too_much"


async def test_a_long_text_in_any_script_is_read_whole() -> None:
    text = "汉字" * 2 * 1024 * 1024
    value = await read(text.encode(), "a.txt")
    assert value["text"] == text and value["pages"] == [text]


async def test_what_takes_too_long_is_ended_and_the_next_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "TIME_S", 2)
    deep = "<div>" * 2_000_000
    assert (await refused(deep.encode(), "a.html", "markdown"))["reason"] in ("too_costly", "unreadable")
    assert (await read(b"ok", "a.txt"))["text"] == "ok"
