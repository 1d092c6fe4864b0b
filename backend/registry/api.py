"""REST of the registry (`/api/mcp/…`): translates requests to services, trials and selectors, and answers to shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.errors import ValidationFailed
from backend.registry import serializers as shape
from backend.registry.configuration.presets import presets
from backend.registry.configuration.user_credentials import SERVERS, required_slots
from backend.registry.connecting.connections import drop_connections
from backend.registry.importing.finding import find_servers
from backend.registry.importing.pasted import import_servers
from backend.registry.importing.responses import ApiJson, ImportJson, ListedServersJson, api_json
from backend.registry.programs.approvals import Approvals
from backend.registry.responses import (
    CallJson,
    DeclarationJson,
    DeclarationListJson,
    PresetListJson,
    ServerJson,
    ServerListJson,
    ServersOffJson,
    TestJson,
    declaration_json,
    server_json,
)
from backend.registry.selectors import declarations_of, server_for, servers_named, servers_of, tool_for
from backend.registry.servers import trials, usage
from backend.registry.servers.declared_agents import declaration_approve
from backend.registry.servers.lines import LinesRenderer, line_by_line, wants_lines
from backend.registry.servers.pages import KINDS, ONLY, SORTS, kind_of, server_counts, server_page
from backend.registry.servers.switches import switch_off, switched_off
from backend.registry.services import (
    declaration_decide,
    server_create,
    server_delete,
    server_update,
    tool_accept,
    tool_update,
    tools_update,
)
from backend.registry.tools import serializers as tool_shape
from backend.registry.tools.names import tool_names
from backend.registry.tools.pages import tool_page
from backend.registry.tools.responses import (
    PoliciesSetJson,
    ServersToolNamesJson,
    ToolJson,
    ToolListJson,
    ToolNameListJson,
    tool_json,
)
from backend.secrets.responses import OwnCredentialsJson
from backend.secrets.user_credentials import Entered, credentials_of, own_json
from backend.tools.diagnosis.report import OnStage, ignore_stage
from backend.web.remote_requests import RemoteWork, answer
from backend.web.rest import ApiView, checked, language_of, page, whole_number

_ADMIN = {"POST": "admin", "PATCH": "admin", "DELETE": "admin"}
_TESTED = {
    (200, "application/json"): TestJson,
    (200, "application/x-ndjson"): OpenApiResponse(
        OpenApiTypes.STR, description='Lines: {"stage": …} as each is passed, at last {"report": …} or {"error": …}.'
    ),
}


_MOST_TOOLS = [
    OpenApiParameter("tools", int, description="How many of the tools the report carries; absent = all, 0 = none.")
]


class Servers(ApiView):
    """All servers of the team."""

    roles = _ADMIN

    @extend_schema(
        operation_id="servers_list",
        responses=ServerListJson,
        parameters=[
            OpenApiParameter("cursor", str),
            OpenApiParameter("limit", int),
            OpenApiParameter(
                "q", str, description="Only servers with this in their name, address or command, or in a tool's name."
            ),
            OpenApiParameter("kind", str, enum=KINDS, description="Only servers, or only agents; absent = both."),
            OpenApiParameter(
                "only", str, enum=ONLY, description="attention: those that someone should look at; mine: added by you."
            ),
            OpenApiParameter("sort", str, enum=SORTS, description="newest (as without it) or name."),
        ],
    )
    def get(self, request: Request) -> Response:
        """List servers, newest first or by name."""
        actor, language, mine = self.actor, language_of(request), Entered(self.actor)
        rows, following = server_page(request, actor, mine)
        used = usage.counts(actor.team.id, rows)
        counts = None if request.query_params.get("cursor") else server_counts(actor, mine, kind_of(request))
        approvals = Approvals(actor.team.id, rows)
        shown = [server_json(row, language, used, SERVERS.entered(row, mine), approvals) for row in rows]
        return Response({"results": shown, "next": following, "counts": counts})

    @extend_schema(
        operation_id="servers_create",
        request=shape.NewServerSerializer,
        responses={201: ServerJson},
    )
    def post(self, request: Request) -> Response:
        """Register a server. Connects to nothing."""
        server = server_create(self.actor, checked(shape.NewServerSerializer(data=request.data)))
        mine = credentials_of(self.actor, server.id)
        return Response(server_json(server, language_of(request), mine=mine.get(server.id)), status=201)


class ServerDetail(ApiView):
    """One server."""

    roles = _ADMIN

    @extend_schema(operation_id="servers_get", responses=ServerJson)
    def get(self, request: Request, server: str) -> Response:
        """Show a server."""
        return self._shown(request, server_for(self.actor, server).id)

    @extend_schema(operation_id="servers_update", request=shape.ServerInputSerializer, responses=ServerJson)
    def patch(self, request: Request, server: str) -> Response:
        """Change a server. Secrets given for another address or program are dropped unless given again."""
        data = checked(shape.ServerInputSerializer(data=request.data, partial=True))
        changed = server_update(self.actor, server, data)
        drop_connections(changed)
        return self._shown(request, changed.id)

    def _shown(self, request: Request, key: str) -> Response:
        server, mine = servers_of(self.actor).get(id=key), credentials_of(self.actor, key)
        used = usage.counts(self.actor.team.id, [server])
        return Response(server_json(server, language_of(request), used, mine.get(key)))

    @extend_schema(operation_id="servers_delete", responses={204: None})
    def delete(self, request: Request, server: str) -> Response:
        """Delete a server."""
        drop_connections(server_delete(self.actor, server), deleted=True)
        return Response(status=204)


class ServerCredentials(ApiView):
    """One's own credentials at a server where each member uses their own."""

    roles = {"GET": "editor"}

    @extend_schema(operation_id="servers_own", responses=OwnCredentialsJson)
    def get(self, request: Request, server: str) -> Response:
        """Which secrets you enter for yourself, and whether they are set."""
        row, mine = SERVERS.read_own(self.actor, server)
        return Response(own_json(required_slots(row), mine))

    @extend_schema(
        operation_id="servers_own_enter", request=shape.OwnServerKeysSerializer, responses=OwnCredentialsJson
    )
    def patch(self, request: Request, server: str) -> Response:
        """Enter your own. Absent is unchanged, null or empty removes. Connections with what was there before end."""
        data = checked(shape.OwnServerKeysSerializer(data=request.data, partial=True))
        row, mine = SERVERS.enter_own(self.actor, server, data)
        drop_connections(row, user_id=self.actor.user.id)
        return Response(own_json(required_slots(row), mine))

    @extend_schema(operation_id="servers_own_delete", responses={204: None})
    def delete(self, request: Request, server: str) -> Response:
        """Delete your own. Your connections end at once."""
        drop_connections(SERVERS.delete_own(self.actor, server), deleted=True, user_id=self.actor.user.id)
        return Response(status=204)


class ServersOff(ApiView):
    """Servers that models in one's own runs may not choose tools from."""

    roles = {"PUT": "viewer"}

    @extend_schema(operation_id="servers_off", responses=ServersOffJson)
    def get(self, request: Request) -> Response:
        """What you switched off for agents, planners and LLM nodes in runs that you start."""
        return Response({"servers": switched_off(self.actor.team.id, self.actor.user.id)})

    @extend_schema(operation_id="servers_off_set", request=shape.NewServersOffSerializer, responses=ServersOffJson)
    def put(self, request: Request) -> Response:
        """Switch off exactly these, by id or slug. It holds for runs that begin from now on."""
        data = checked(shape.NewServersOffSerializer(data=request.data))
        return Response({"servers": switch_off(self.actor, data["servers"])})


class TestView(ApiView):
    """A connection test: one answer, or line by line (application/x-ndjson) as its stages are passed."""

    renderer_classes = (*ApiView.renderer_classes, LinesRenderer)

    def answer(self, request: Request, test: Callable[[str, OnStage, int], RemoteWork[Any]]) -> HttpResponseBase:
        """What `test(language, on_stage, most)` finds; `most` = how many of the tools its answer carries."""
        language, most = language_of(request), whole_number(request, "tools", trials.MAX_TOOLS, 0, trials.MAX_TOOLS)
        if wants_lines(request):
            return line_by_line(self.actor, lambda on_stage: test(language, on_stage, most), language)
        return answer(request, self.actor, test(language, ignore_stage, most))


class ServerTest(TestView):
    """Connection test of a saved server."""

    @extend_schema(operation_id="servers_test", request=None, responses=_TESTED, parameters=_MOST_TOOLS)
    def post(self, request: Request, server: str) -> HttpResponseBase:
        """Connect once and say how far it went, stage by stage."""
        actor = self.actor
        return self.answer(
            request, lambda language, on_stage, most: trials.server_test(actor, server, language, on_stage, most)
        )


class UnsavedTest(TestView):
    """Connection test of a configuration that is not saved."""

    roles = _ADMIN

    @extend_schema(
        operation_id="servers_test_unsaved",
        request=shape.TrialServerSerializer,
        responses=_TESTED,
        parameters=_MOST_TOOLS,
    )
    def post(self, request: Request) -> HttpResponseBase:
        """Connect once with what is sent; `server` names a saved one that it is laid over."""
        data = checked(shape.TrialServerSerializer(data=request.data))
        actor = self.actor
        return self.answer(
            request, lambda language, on_stage, most: trials.trial_test(actor, data, language, on_stage, most)
        )


class ApiDocuments(ApiView):
    """OpenAPI documents, before a server is made of one."""

    roles = _ADMIN

    @extend_schema(operation_id="servers_api_read", request=shape.ApiDocumentSerializer, responses=ApiJson)
    def post(self, request: Request) -> HttpResponse:
        """What a document describes: addresses, ways to sign in, operations, and what is left out. Keeps nothing."""
        data, language = checked(shape.ApiDocumentSerializer(data=request.data)), language_of(request)
        return answer(request, self.actor, trials.api_read(self.actor, data), lambda api: api_json(api, language))


class ServerTools(ApiView):
    """A server's tools."""

    roles = _ADMIN

    @extend_schema(
        operation_id="servers_tools",
        responses=ToolListJson,
        parameters=[
            OpenApiParameter("refresh", OpenApiTypes.BOOL, description="1 = connect and list anew (editors)."),
            OpenApiParameter("limit", int, description="Tools per page (1 to 500), changed ones first; absent = all."),
            OpenApiParameter("cursor", str, description="`next` of the page before."),
            OpenApiParameter("q", str, description="Only tools with this in their name, title or description."),
            OpenApiParameter("name", str, many=True, description="Only tools of this name; may stand several times."),
            OpenApiParameter("changed", OpenApiTypes.BOOL, description="1 = only tools whose definition changed."),
        ],
    )
    def get(self, request: Request, server: str) -> HttpResponse:
        """The tools as last listed."""
        actor, language = self.actor, language_of(request)
        if request.query_params.get("refresh") in {"1", "true"}:
            work = trials.tools_refresh(actor, server)
            return answer(request, actor, work, lambda row: tool_page(actor, row, request, language))
        return Response(tool_page(actor, server_for(actor, server), request, language))

    @extend_schema(
        operation_id="servers_tools_update", request=tool_shape.PoliciesSerializer, responses=PoliciesSetJson
    )
    def patch(self, request: Request, server: str) -> Response:
        """Set the policy of all tools that read, that write or that are of high risk, in one step."""
        data = checked(tool_shape.PoliciesSerializer(data=request.data))
        total, changed = tools_update(self.actor, server, data["which"], data["policy"])
        return Response({"total": total, "changed": changed})


class ServerToolNames(ApiView):
    """A server's tools, to choose from."""

    @extend_schema(operation_id="servers_tool_names", responses=ToolNameListJson)
    def get(self, request: Request, server: str) -> Response:
        """All tools as last listed, without their schemas."""
        row = server_for(self.actor, server)
        return Response({"results": tool_names([row], language_of(request))[row.id], "next": None})


class ToolNames(ApiView):
    """Tools of many servers, to choose from."""

    @extend_schema(
        operation_id="tool_names",
        responses=ServersToolNamesJson,
        parameters=[
            OpenApiParameter(
                "server",
                str,
                many=True,
                description="Of which servers, by id or slug: at most 200; others are left out.",
            )
        ],
    )
    def get(self, request: Request) -> Response:
        """All tools of these servers as last listed, without their schemas."""
        rows = servers_named(self.actor, request.query_params.getlist("server"))
        names = tool_names(rows, language_of(request))
        servers = [{"id": row.id, "slug": row.slug, "results": names[row.id]} for row in rows]
        return Response({"results": servers, "next": None})


class ServerTool(ApiView):
    """One tool and its policy."""

    roles = _ADMIN

    @extend_schema(operation_id="tools_get", responses=ToolJson)
    def get(self, request: Request, server: str, tool: str) -> Response:
        """One tool as last listed."""
        row = server_for(self.actor, server)
        return Response(tool_json(row, tool_for(row, tool), language_of(request)))

    @extend_schema(operation_id="tools_update", request=tool_shape.ToolPatchSerializer, responses=ToolJson)
    def patch(self, request: Request, server: str, tool: str) -> Response:
        """Set policy, risk or effect; null = by the rules."""
        changes = checked(tool_shape.ToolPatchSerializer(data=request.data, partial=True))
        row = tool_update(self.actor, server, tool, changes)
        return Response(tool_json(server_for(self.actor, server), row, language_of(request)))


class ToolAccept(ApiView):
    """A changed definition."""

    roles = _ADMIN

    @extend_schema(operation_id="tools_accept", request=None, responses=ToolJson)
    def post(self, request: Request, server: str, tool: str) -> Response:
        """Accept the definition that the server lists now."""
        row = tool_accept(self.actor, server, tool)
        return Response(tool_json(server_for(self.actor, server), row, language_of(request)))

    @extend_schema(exclude=True)
    def patch(self, request: Request, server: str, tool: str) -> Response:
        """A tool whose own name ends in "/accept": the address is that of its policy."""
        changes = checked(tool_shape.ToolPatchSerializer(data=request.data, partial=True))
        row = tool_update(self.actor, server, f"{tool}/accept", changes)
        return Response(tool_json(server_for(self.actor, server), row, language_of(request)))


class ToolCall(ApiView):
    """The playground."""

    scopes = {"POST": "run"}

    @extend_schema(
        operation_id="tools_call",
        request=shape.CallInputSerializer,
        responses=CallJson,
    )
    def post(self, request: Request) -> HttpResponse:
        """Call a tool through the gate; 409 APPROVAL_REQUIRED with the risk where it would ask, unless `confirm`."""
        data = checked(shape.CallInputSerializer(data=request.data))
        arguments = data.get("arguments") or {}
        work = trials.tool_call(
            self.actor, data["server"], data["tool"], arguments, data["confirm"], language_of(request)
        )
        return answer(request, self.actor, work)


class Presets(ApiView):
    """Ready configurations."""

    @extend_schema(operation_id="presets_list", responses=PresetListJson)
    def get(self, request: Request) -> Response:
        """List presets."""
        return Response({"results": [preset.as_json() for preset in presets()], "next": None})


class ServerImport(ApiView):
    """Another client's configuration."""

    roles = _ADMIN

    @extend_schema(
        operation_id="servers_import",
        request=shape.ImportInputSerializer,
        responses=ImportJson,
    )
    def post(self, request: Request) -> Response:
        """Create servers from pasted JSON. Connects to nothing."""
        return Response(import_servers(self.actor, request.data, language_of(request)))


class ServerFind(ApiView):
    """Servers that an MCP registry lists."""

    roles = _ADMIN

    @extend_schema(operation_id="servers_find", request=shape.FindInputSerializer, responses=ListedServersJson)
    def post(self, request: Request) -> HttpResponse:
        """Search an MCP registry. Connects to it, and to nothing that it lists."""
        data = checked(shape.FindInputSerializer(data=request.data))
        return answer(request, self.actor, find_servers(self.actor, data["at"], data["q"], data["cursor"]))


class Declarations(ApiView):
    """Servers declared in documents."""

    @extend_schema(
        operation_id="declarations_list",
        responses=DeclarationListJson,
        parameters=[OpenApiParameter("state", str, enum=["waiting", "approved", "rejected"])],
    )
    def get(self, request: Request) -> Response:
        """List declarations, newest first."""
        state = request.query_params.get("state")
        if state not in {None, "", "waiting", "approved", "rejected"}:
            raise ValidationFailed(fields={"state": ["must be waiting, approved or rejected"]})
        approvals = Approvals(self.actor.team.id)
        return page(request, declarations_of(self.actor, state), lambda row: declaration_json(row, approvals))


class DeclarationApprove(ApiView):
    """An admin's yes."""

    roles = _ADMIN

    @extend_schema(operation_id="declarations_approve", request=None, responses=DeclarationJson)
    def post(self, request: Request, digest: str) -> HttpResponse:
        """Approve exactly this configuration. Of an agent, the card is read then."""
        return answer(request, self.actor, declaration_approve(self.actor, digest), declaration_json)


class DeclarationReject(ApiView):
    """An admin's no."""

    roles = _ADMIN

    @extend_schema(operation_id="declarations_reject", request=None, responses=DeclarationJson)
    def post(self, request: Request, digest: str) -> Response:
        """Reject this configuration, also one that was approved before."""
        return Response(declaration_json(declaration_decide(self.actor, digest, False)))
