"""The test of an API: with the document that was just given, else with the saved one, read anew at its address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.accounts.teams.outbound import network_rules
from backend.database.threads import in_thread
from backend.registry.configuration.documents import ReadDocument
from backend.registry.connecting.api_documents import ApiWorld, fetched_document
from backend.registry.models import Server
from backend.registry.tools.policies import called_unasked
from backend.tools.diagnosis.report import OnStage, ignore_stage
from backend.tools.openapi.model import Api
from backend.tools.servers import ServerConfig

if TYPE_CHECKING:
    from backend.tools.diagnosis.report import TestReport


async def api_report(
    server: Server,
    config: ServerConfig,
    *,
    saved: bool,
    on_stage: OnStage = ignore_stage,
    deadline_s: float | None = None,
) -> TestReport:
    """Test it. Await it on the loop; never raises. An unsaved one leaves the saved document as it is."""
    from backend.tools.diagnosis.api_test import DEADLINE_S, api_test  # with the SDK, see `connections`

    document: ReadDocument | None = server.sent_document

    async def read() -> Api:
        if document is not None:
            return document.api
        if server.document_url and not saved:
            return (await fetched_document(server.document_url)).api
        return await ApiWorld(server.id, server.document_url).api(refresh=True)

    async def may_call(names: list[str]) -> set[str]:
        return await in_thread(called_unasked, server, names)

    seconds = DEADLINE_S if deadline_s is None else deadline_s
    return await api_test(config, network_rules(), read, may_call=may_call, deadline_s=seconds, on_stage=on_stage)
