"""What every journal promises the engine: one suite for the one in memory and the one in the database.

Inherit from `JournalContract` in a class whose name begins with Test, and give it a fixture `harness`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import pytest

from backend.engine.execution.ports import Entry, Journal, LeaseLost
from backend.tools.types import Question


class Harness(Protocol):
    """A run with its log. `journal` belongs to the present owner."""

    journal: Journal

    async def take_over(self) -> Journal:
        """Another worker claims the run; gives its journal."""
        ...

    async def history(self) -> list[Entry]:
        """The durable lines that are records, in order, as a resumed segment gets them."""
        ...

    async def events(self) -> list[tuple[int, str]]:
        """(seq, type) of the durable events, in order."""
        ...

    async def written(self, lines: int) -> None:
        """Wait until so many records are durable (without asking for a barrier)."""
        ...


PLACE: Any = {"node": "each", "path": (("loop_a", 12),), "step": "step_1"}

RECORDS = [
    Entry(**PLACE, type="STEP_INIT", data={"attempt": 1}, record="emit", key="init"),
    Entry(**PLACE, type="STEP_INPUT", data={"input": {"q": "ä 问 \U0001f600", "n": [1, 2.5, None]}}, record="input"),
    Entry(**PLACE, type="TOOL_REQUEST", data={"call": "call"}, record="start", key="call", fingerprint="f" * 64,
          effect_kind="write"),
    Entry(**PLACE, type="TOOL_RESPONSE", data={"call": "call"}, record="end", key="call", effect_kind="write",
          value={"result": {"text": "x"}}),
    Entry(**PLACE, record="end", key="null", effect_kind="read", value={"result": None}),
    Entry(**PLACE, record="value", key="now", value={"value": 1_700_000_000.25}),
    Entry(**PLACE, record="sleep", key="sleep", attempt=2, value={"until": 1_700_000_060.0, "ran": 0.5}),
    Entry(**PLACE, type="STEP_WAITING_FOR_INPUT", data={"interaction": "int_1", "kind": "form"}, record="ask",
          key="form", interaction="int_1", value={"ran": 0.0}, question=Question("form", "More?", schema={})),
    Entry(**PLACE, type="STEP_ANSWERED", data={"interaction": "int_1", "action": "accept", "by": "usr_1"},
          record="answer", key="form", interaction="int_1",
          value={"action": "accept", "values": {"x": 1}, "reason": "", "remember": "once", "by": "usr_1"}),
    Entry(**PLACE, type="STEP_OUTPUT", data={"output": {"x": 1}, "port": "out"}, record="outcome"),
]  # fmt: skip


def stored(entry: Entry) -> Entry:
    """A line without what the journal gives or does not give back."""
    return replace(entry, seq=0, ts=0.0, question=None)


class JournalContract:
    """The suite."""

    async def test_every_record_comes_back_as_it_was(self, harness: Harness) -> None:
        for entry in RECORDS:
            harness.journal.append(entry)
        await harness.journal.barrier()
        assert [stored(line) for line in await harness.history()] == [stored(line) for line in RECORDS]

    async def test_events_are_numbered_without_gaps_and_records_are_not(self, harness: Harness) -> None:
        before = [seq for seq, _ in await harness.events()]
        values = [harness.journal.append(entry) for entry in RECORDS]
        await harness.journal.barrier()
        events = [(seq, type_) for seq, type_ in await harness.events() if seq not in before]
        assert [type_ for _, type_ in events] == [entry.type for entry in RECORDS if entry.type]
        assert [seq for seq, _ in events] == [seq for seq in values if seq]
        first = events[0][0]
        assert [seq for seq, _ in events] == list(range(first, first + len(events)))
        assert all((seq > 0) == (entry.type is not None) for seq, entry in zip(values, RECORDS, strict=True))

    async def test_lines_that_only_people_see_are_no_history(self, harness: Harness) -> None:
        harness.journal.append(Entry(node="a", step="step_2", type="STEP_PROGRESS", data={"progress": 1}))
        harness.journal.append(RECORDS[0])
        await harness.journal.barrier()
        assert [stored(line) for line in await harness.history()] == [stored(RECORDS[0])]
        assert [type_ for _, type_ in await harness.events()][-2:] == ["STEP_PROGRESS", "STEP_INIT"]

    async def test_what_is_behind_a_barrier_outlives_its_owner(self, harness: Harness) -> None:
        harness.journal.append(RECORDS[0])
        await harness.journal.barrier()
        last = (await harness.events())[-1][0]
        journal = await harness.take_over()
        assert journal.append(RECORDS[1]) == last + 1
        await journal.barrier()
        assert [stored(line) for line in await harness.history()] == [stored(line) for line in RECORDS[:2]]

    async def test_a_barrier_with_nothing_to_write_still_looks_at_the_fence(self, harness: Harness) -> None:
        await harness.journal.barrier()
        old = harness.journal
        await harness.take_over()
        with pytest.raises(LeaseLost):
            await old.barrier()

    async def test_who_lost_the_lease_writes_nothing(self, harness: Harness) -> None:
        old = harness.journal
        old.append(RECORDS[0])
        await old.barrier()
        journal = await harness.take_over()
        with pytest.raises(LeaseLost):
            old.append(RECORDS[1])
            await old.barrier()
        journal.append(RECORDS[2])
        await journal.barrier()
        assert [stored(line) for line in await harness.history()] == [stored(RECORDS[0]), stored(RECORDS[2])]

    async def test_what_is_in_a_hurry_is_written_without_a_barrier(self, harness: Harness) -> None:
        harness.journal.append(RECORDS[3])
        harness.journal.hurry()
        await harness.written(1)
        assert [stored(line) for line in await harness.history()] == [stored(RECORDS[3])]

    async def test_large_values_come_back_whole(self, harness: Harness) -> None:
        text = "0123456789 问题 " * 40_000
        entries = [
            Entry(**PLACE, type="STEP_OUTPUT", data={"output": {"text": text}, "port": "out"}, record="outcome"),
            Entry(**PLACE, record="end", key="big", value={"result": {"text": text}}),
        ]
        for entry in entries:
            harness.journal.append(entry)
        await harness.journal.barrier()
        assert [stored(line) for line in await harness.history()] == [stored(line) for line in entries]

    async def test_many_lines_keep_their_order(self, harness: Harness) -> None:
        for i in range(3_000):
            harness.journal.append(Entry(node=f"n{i}", step="s", type="STEP_LOG", record="emit", key=str(i)))
            if i % 1_000 == 500:
                await harness.journal.barrier()
        await harness.journal.barrier()
        assert [line.node for line in await harness.history()] == [f"n{i}" for i in range(3_000)]

    async def test_a_preview_is_no_line(self, harness: Harness) -> None:
        harness.journal.preview("step_1", "call", 1, "text", 0, "Hel")
        await harness.journal.barrier()
        assert await harness.history() == []
