"""The events of one request, as they happen: read from the log, woken by the hub, and begun anew by any process.

The hub only rings: what is told is what the database holds, so nothing is missed however a run moves from one worker to
another. Text that is not stored yet comes from the hub as well, so that it is told at once.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable

from ag_ui.core import (
    PROTOCOL_VERSION,
    BaseEvent,
    Interrupt,
    MessagesSnapshotEvent,
    RunErrorEvent,
    RunFinishedEvent,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    StateSnapshotEvent,
)
from django.conf import settings

from backend.agui import conversing
from backend.agui.questions import interrupts, open_questions, pending
from backend.agui.starting import Begun
from backend.agui.threads import in_thread
from backend.agui.translating import Translator
from backend.errors import NotFound, PatchbayError
from backend.json_types import JsonObject
from backend.runs.conversations.lines import LINES_AT_ONCE, lines_after, variables_until
from backend.runs.conversations.speakers import speakers_of
from backend.runs.live.hub import HUB
from backend.runs.live.run_waiters import RunWaiter
from backend.runs.log.events import TextPreviewJson
from backend.runs.models import Run, RunState

LOOK_S = 3.0
"""How often a stream looks for questions of a run that stands, or of runs below it."""
ALIVE_S = 15.0
"""After so long without an event a comment says that the stream lives."""
CHECK_S = 60.0
"""How often it is asked whether the token still opens the stream."""


class Bell:
    """Rings the stream when its run has moved, and keeps the text that is not stored yet. On the server's loop."""

    def __init__(self, run: str) -> None:
        self.topic = f"run:{run}"
        self._waiter = RunWaiter(HUB, run)
        self._previews: list[TextPreviewJson] = []

    def __enter__(self) -> Bell:
        self._waiter.__enter__()
        HUB.watch(self)
        return self

    def __exit__(self, *args: object) -> None:
        HUB.unwatch(self)
        self._waiter.__exit__()

    async def rung(self, seconds: float) -> bool:
        """Wait for the next ring; False where none came in time."""
        return await self._waiter.changed(seconds)

    def previews(self) -> list[TextPreviewJson]:
        """The text that came since this was last asked."""
        items, self._previews = self._previews, []
        return items

    async def frame(self, first: int, last: int, text: str) -> None:
        """The run has new events."""
        self._waiter.notify()

    async def send(self, text: str) -> None:
        """Streamed text, or a hint."""
        self._previews += json.loads(text).get("text") or []
        self._waiter.notify()

    async def catch_up(self, newest: int) -> None:
        """The run has events that no frame told."""
        self._waiter.notify()


async def events(
    begun: Begun, thread: str, request: str, language: str, allowed: Callable[[], None]
) -> AsyncGenerator[BaseEvent | None]:
    """The events of a stream; None where nothing happened for a while.

    `allowed` raises where the token opens nothing any more. Ends without a last event where the process is to end, so
    that the client comes back.
    """
    about = {"run": begun.run.pk, "url": f"{settings.PUBLIC_URL}/runs/{begun.run.pk}"} if begun.run else {}
    yield RunStartedEvent(
        thread_id=thread, run_id=request, protocol_version=PROTOCOL_VERSION, metadata={"patchbay": about}
    )
    if begun.before is not None:
        yield MessagesSnapshotEvent.model_validate({"messages": begun.before})
    if begun.run is None:
        yield StateSnapshotEvent(snapshot=begun.state)
        yield RunFinishedEvent(thread_id=thread, run_id=request, outcome=RunFinishedSuccessOutcome())
        return
    with Bell(begun.run.pk) as bell:
        await HUB.joined(bell.topic)
        async for event in _Telling(begun, begun.run, bell, language, allowed).events(thread, request):
            yield event


class _Telling:
    """One stream of one run."""

    def __init__(self, begun: Begun, run: Run, bell: Bell, language: str, allowed: Callable[[], None]) -> None:
        self._begun, self._run, self._bell = begun, run, bell
        self._language, self._allowed = language, allowed
        self._after = begun.after
        self._quiet = False  # whether nothing came since it was last looked
        self._checked = self._spoken = time.monotonic()

    async def events(self, thread: str, request: str) -> AsyncIterator[BaseEvent | None]:
        """All events up to the last."""
        try:
            translator = await in_thread(self._translator, thread, request)
            if self._after:
                yield StateSnapshotEvent(snapshot=await in_thread(self._state))
            while not translator.over():
                async for event in self._next(translator):
                    self._spoken = time.monotonic()
                    yield event
                if translator.over():
                    return
                for interrupt in await self._interrupts(translator):
                    yield interrupt
                if translator.over() or not await self._rested(translator):
                    return
                if time.monotonic() - self._spoken > ALIVE_S:
                    self._spoken = time.monotonic()
                    yield None
        except Run.DoesNotExist:
            yield self._failed(NotFound())
        except PatchbayError as error:
            yield self._failed(error)

    async def _next(self, translator: Translator) -> AsyncIterator[BaseEvent]:
        """What came since the last look: of the log first, then what is not stored yet."""
        previews = self._bell.previews()
        more = True
        while more and not translator.over():
            lines = await in_thread(lines_after, self._run.pk, self._after)
            more = len(lines) == LINES_AT_ONCE
            for line in lines:
                self._quiet = False
                for event in translator.line(line):
                    yield event
                self._after = line.seq
                if line.type == "FLOW_START" and not line.node:
                    yield StateSnapshotEvent(snapshot=await in_thread(self._state))
                if translator.over():
                    return
        for item in previews:
            for event in translator.preview(item):
                yield event

    async def _interrupts(self, translator: Translator) -> list[BaseEvent]:
        """The end of the stream, where its run stands and asks."""
        unmoved = self._after == self._begun.after > 0 and self._quiet
        if not translator.stands and not unmoved:
            return []
        interrupts, called = await in_thread(self._open_interrupts)
        return list(translator.interrupted(interrupts, called)) if interrupts or called else []

    async def _rested(self, translator: Translator) -> bool:
        """Wait for more; False where the process is to end."""
        unmoved = self._after == self._begun.after > 0
        rung = await self._bell.rung(LOOK_S if translator.stands or unmoved else ALIVE_S)
        self._quiet = not rung
        if time.monotonic() - self._checked > CHECK_S:
            await in_thread(self._allowed)
            self._checked = time.monotonic()
        return not HUB.closing

    # -- in threads ---------------------------------------------------------------------------------------------------

    def _translator(self, thread: str, request: str) -> Translator:
        document = conversing.document_of(self._run)
        return Translator(
            thread,
            request,
            self._begun.mark,
            speakers_of(document),
            conversing.lasting(self._run),
            self._language,
            stands=self._begun.stands,
            rested=self._begun.after > 0,
        )

    def _state(self) -> JsonObject:
        """The conversation's variables as they are at this place in the log."""
        return conversing.state_at_start(self._run) | variables_until(
            self._run.pk, self._begun.after, conversing.lasting(self._run)
        )

    def _open_interrupts(self) -> tuple[list[Interrupt], list[str]]:
        """What the run asks, and which tools of the client it waits for."""
        run = Run.objects.get(pk=self._run.pk)
        questions = open_questions(run) if run.state == RunState.WAITING else []
        return interrupts(questions, self._language), pending(questions)

    def _failed(self, error: PatchbayError) -> BaseEvent:
        message, hint = error.text(self._language)
        return RunErrorEvent(message=f"{message} {hint}".strip(), code=error.code)
