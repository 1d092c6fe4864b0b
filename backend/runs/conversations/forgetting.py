"""What goes with runs of conversations: the words of their turns, and conversations of which no run is left."""

from __future__ import annotations

from collections.abc import Iterable

from backend.accounts.audit.erasing import erase
from backend.runs.models import TERMINAL, Conversation, Run, Turn


def forget_turns(runs: list[str]) -> None:
    """Take the words of these runs' turns away, in the transaction that deletes the runs."""
    turns = Turn.objects.filter(run__in=runs, run__gt="")
    conversations = set(turns.values_list("conversation", flat=True))
    if not conversations:
        return
    turns.update(run="", text="", files="[]", answer="", calls="", variables="", refs="")
    left = set(Turn.objects.filter(conversation__in=conversations, run__gt="").values_list("conversation", flat=True))
    erase_conversations(conversations - left)


def erase_conversations(keys: Iterable[str]) -> None:
    """Delete these conversations with their turns; their runs stay."""
    gone = sorted(keys)
    erase("conversation", gone)
    Run.objects.filter(conversation__in=gone, conversation__gt="").update(conversation="")
    Turn.objects.filter(conversation__in=gone).update(parent=None)
    Turn.objects.filter(conversation__in=gone).delete()
    Conversation.objects.filter(pk__in=gone).delete()


def goes_on_in(runs: list[str]) -> str | None:
    """A run that goes on from what was said in these runs, where there is one."""
    conversations = Run.objects.filter(pk__in=runs, conversation__gt="").values("conversation")
    going = Run.objects.filter(conversation__in=conversations, conversation__gt="").exclude(state__in=TERMINAL)
    return going.values_list("pk", flat=True).first()
