"""Files as inputs and as answers of forms: the team's own, that exist, of the kind that is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from backend.runs.worker.worker import Worker
from tests.api.files.uploading import upload
from tests.api.runs.asking import state
from tests.api.runs.conftest import graph, make_workflow, node, until
from tests.api.runs.questions import answer, waiting_run
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

PICTURE = {"type": "object", "format": "file", "x-accept": "image/*"}
ASKED = {
    "type": "object",
    "properties": {
        "picture": PICTURE,
        "more": {"type": "array", "items": {"$ref": "#/$defs/file"}},
        "either": {"anyOf": [{"type": "string"}, {"type": "object", "format": "file"}]},
        "perhaps": {"type": ["object", "null"], "format": "file"},
    },
    "$defs": {"file": {"type": "object", "format": "file", "x-accept": "text/*, .json"}},
}


def echo() -> dict[str, Any]:
    """start → end, with the inputs as they came."""
    nodes = [node("start", "start", {"inputs": ASKED}), node("end", "end", {"outputs": {"given": "{{ start }}"}})]
    return graph(nodes, "start -> end")


def start(who: Person, workflow: Any, inputs: dict[str, Any], **more: Any) -> Any:
    body = {"version": "draft", "inputs": inputs, **more}
    return who.api.post(f"/api/workflows/{workflow.id}/runs", body)


def kept(body: dict[str, object]) -> dict[str, object]:
    """A file as the API gave it, as it stands in a value."""
    return {"$file": body["id"], "name": body["name"], "mime": body["mime"], "size": body["size"]}


def test_a_file_says_itself_what_it_is(worker: Worker, bob: Person) -> None:
    picture, text = upload(bob, b"png"), upload(bob, b"a text", "a.txt", "text/plain")
    body = {
        "picture": {"$file": picture["id"], "name": "liar.exe", "size": -1},
        "more": [{"$file": text["id"]}],
        "either": {"$file": text["id"]},
        "perhaps": None,
    }
    run = start(bob, make_workflow(bob, echo()), body, wait=30).data
    assert run["outputs"]["given"] == {
        "picture": kept(picture), "more": [kept(text)], "either": kept(text), "perhaps": None
    }  # fmt: skip


def test_what_is_no_file_of_the_team_is_named(bob: Person, charlie: Person) -> None:
    workflow = make_workflow(bob, echo())
    foreign, own = upload(charlie, b"theirs"), upload(bob, b"png")
    foreign_said = start(bob, workflow, {"picture": {"$file": foreign["id"]}})
    missing_said = start(bob, workflow, {"picture": {"$file": "file_01m80fcexg8bvxmrte40pzw2zz"}})
    assert foreign_said.status == missing_said.status == 400
    assert foreign_said.data["code"] == "VALIDATION_ERROR"
    assert foreign_said.data["fields"] == missing_said.data["fields"], "a foreign file is as if it did not exist"
    assert foreign_said.data["fields"] == {"inputs.picture": ["is a file that does not exist"]}
    no_file = start(bob, workflow, {"picture": {"url": "https://example.org"}, "more": [{"$file": own["id"]}, {}]})
    assert set(no_file.data["fields"]) == {"inputs.picture", "inputs.more[0]", "inputs.more[1]"}
    assert no_file.data["fields"]["inputs.more[0]"] == ["must be a file of type text/*, .json"]
    assert set(start(bob, workflow, {"picture": "file_1"}).data["fields"]) == {"inputs.picture"}
    assert set(start(bob, workflow, {"either": {"$file": "file_1"}}).data["fields"]) == {"inputs.either"}


def test_the_same_key_with_the_same_file_is_the_same_run(worker: Worker, bob: Person) -> None:
    workflow = make_workflow(bob, echo())
    first, second = upload(bob, b"png"), upload(bob, b"png")
    at = f"/api/workflows/{workflow.id}/runs"
    runs = [
        bob.api.post(at, {"version": "draft", "inputs": {"picture": {"$file": key}}}, **{"Idempotency-Key": "k"})
        for key in (first["id"], first["id"], second["id"])
    ]
    assert runs[0].data["id"] == runs[1].data["id"]
    assert runs[2].status == 409


def test_a_form_asks_for_a_file(worker: Worker, bob: Person, charlie: Person) -> None:
    schema = {"type": "object", "properties": {"photo": PICTURE}, "required": ["photo"]}
    document = graph(
        [
            node("start", "start"),
            node("ask", "form", {"title": "A photo?", "schema": schema}),
            node("end", "end", {"outputs": {"name": "{{ ask.photo.name }}"}}),
        ],
        "start -> ask",
        "ask -> end",
    )
    run, question = waiting_run(bob, document)
    foreign, own = upload(charlie, b"theirs"), upload(bob, b"png", "me.png")
    refused = answer(bob, question, action="accept", values={"photo": {"$file": foreign["id"]}})
    assert (refused.status, list(refused.data["fields"])) == (400, ["values.photo"])
    assert answer(bob, question, action="accept", values={"photo": {"$file": own["id"]}}).status == 200
    until(lambda: state(run) == "SUCCESS")
    assert bob.api.get(f"/api/runs/{run}").data["outputs"] == {"name": "me.png"}
