"""The document node: what stands in a file, by the shape that is asked for."""

from __future__ import annotations

from typing import Any

from tests.unit.engine.engine_run import EngineRun, flow, played
from tests.unit.sandbox import papers

FILES = {
    "file_1": (papers.pdf("One", "Two"), "application/pdf", "a.pdf"),
    "file_2": (b"name,n\na,1\n", "text/csv", "a.csv"),
    "file_3": (b"no pdf", "application/pdf", "b.pdf"),
}


async def read(file: Any, **config: Any) -> EngineRun:
    engine_run = played(flow("start -> d", d=("document", {"file": file, **config})))
    engine_run.files = FILES
    await engine_run.run()
    return engine_run


async def test_a_file_is_read_as_it_is_asked_for() -> None:
    value = (await read({"$file": "file_1"})).output("d")
    assert value["text"] == "One\n\nTwo" and value["pages"] == ["One", "Two"] and value["rows"] == []
    rows = (await read({"$file": "file_2"}, **{"as": "rows"})).output("d")
    assert rows["rows"] == [{"name": "a", "n": "1"}] and rows["meta"]["columns"] == ["name", "n"]


async def test_what_cannot_be_read_is_an_error_with_its_reason() -> None:
    error = (await read({"$file": "file_3"})).last("d").data
    assert (error["code"], error["params"]) == ("DOCUMENT_ERROR", {"reason": "not_what_it_says", "kind": "PDF"})
    assert (await read({"$file": "file_9"})).last("d").data["code"] == "NOT_FOUND"
    assert (await read("a.pdf")).last("d").data["params"]["field"] == "file"
