"""The cards of agents: kept with their server as they were read last, so a call needs no look at the card first."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils import timezone

from backend.accounts.teams.outbound import network_rules
from backend.database.threads import in_thread
from backend.engine.language.clean import clean
from backend.net.rules import NetworkRules
from backend.registry.models import ApiDocument, Server

if TYPE_CHECKING:
    from backend.tools.a2a.source import StoredCard
    from backend.tools.a2a.wire import FetchedCard


@dataclass(frozen=True, slots=True)
class AgentWorld:
    """`tools.a2a.source.World` of a saved agent, as it was configured by this revision."""

    server_id: str
    revision: int

    def rules(self) -> NetworkRules:
        """The installation's, of now."""
        return network_rules()

    async def stored(self) -> StoredCard | None:
        """The card that was read last."""
        return await in_thread(_stored, self.server_id)

    async def save(self, read: FetchedCard | None) -> None:
        """Keep a card; None = the stored one is the agent's still."""
        await in_thread(_save, self.server_id, self.revision, read)


def _stored(server_id: str) -> StoredCard | None:
    from backend.tools.a2a.source import StoredCard  # with the SDK, see `connections`

    row = ApiDocument.objects.filter(server_id=server_id).first()
    if row is None:
        return None
    age_s = (timezone.now() - row.read_at).total_seconds()
    return StoredCard(json.loads(row.content), age_s, row.etag, row.modified)


def _save(server_id: str, revision: int, read: FetchedCard | None) -> None:
    """Keep a card, unless the agent is reached elsewhere meanwhile."""
    if not Server.objects.filter(id=server_id, revision=revision).exists():
        return
    if read is None:
        ApiDocument.objects.filter(server_id=server_id).update(read_at=timezone.now())
        return
    content = json.dumps(clean(read.card), ensure_ascii=False, separators=(",", ":"))
    values = {
        "content": content,
        "digest": hashlib.sha256(content.encode()).hexdigest(),
        "etag": read.etag,
        "modified": read.modified,
        "read_at": timezone.now(),
    }
    ApiDocument.objects.update_or_create(server_id=server_id, defaults=values)
