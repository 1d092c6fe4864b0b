"""REST for ModelScope: its public list, what it hosts for a person, and an address looked up again."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from backend.registry import serializers as shape
from backend.registry.connecting.connections import drop_connections
from backend.registry.importing.modelscope import add_hosted, find_listed, look_up_again, read_listed
from backend.registry.importing.responses import (
    HostedServerJson,
    HostedServersJson,
    ListedServerJson,
    ListedServersJson,
)
from backend.registry.models import Server
from backend.registry.responses import ServerJson, server_json
from backend.registry.selectors import servers_of
from backend.registry.servers import usage
from backend.secrets.user_credentials import credentials_of
from backend.web.remote_requests import answer
from backend.web.rest import ApiView, checked, language_of

_ADMIN = {"POST": "admin"}


class ModelScopeFind(ApiView):
    """ModelScope's public list."""

    roles = _ADMIN

    @extend_schema(operation_id="modelscope_find", request=shape.ModelScopeFindSerializer, responses=ListedServersJson)
    def post(self, request: Request) -> HttpResponse:
        """Search ModelScope's public list. Connects to it, and to nothing that it lists."""
        data = checked(shape.ModelScopeFindSerializer(data=request.data))
        return answer(request, self.actor, find_listed(self.actor, data["q"], data["cursor"], language_of(request)))


class ModelScopeRead(ApiView):
    """A server of that list."""

    roles = _ADMIN

    @extend_schema(operation_id="modelscope_read", request=shape.ModelScopeServerSerializer, responses=ListedServerJson)
    def post(self, request: Request) -> HttpResponse:
        """Read how a server of ModelScope's list is run. Connects to ModelScope alone."""
        data = checked(shape.ModelScopeServerSerializer(data=request.data))
        return answer(request, self.actor, read_listed(self.actor, data["id"], language_of(request)))


class ModelScopeDeployed(ApiView):
    """What ModelScope hosts for a person."""

    roles = _ADMIN

    @extend_schema(
        operation_id="modelscope_deployed", request=shape.ModelScopeDeployedSerializer, responses=HostedServersJson
    )
    def post(self, request: Request) -> HttpResponse:
        """List your deployed servers by your access token, which is kept nowhere; add those in `only`."""
        data = checked(shape.ModelScopeDeployedSerializer(data=request.data))
        language = language_of(request)

        def shown(result: tuple[list[HostedServerJson], list[Server]]) -> HostedServersJson:
            hosted, created = result
            return {"found": hosted, "created": [server_json(server, language) for server in created]}

        return answer(request, self.actor, add_hosted(self.actor, data["token"], data["only"]), shown)


class ServerModelScope(ApiView):
    """The address of a server that ModelScope hosts."""

    roles = _ADMIN

    @extend_schema(operation_id="servers_modelscope", request=shape.ModelScopeTokenSerializer, responses=ServerJson)
    def post(self, request: Request, server: str) -> HttpResponse:
        """Look up the server's address again by your access token, which is kept nowhere."""
        data = checked(shape.ModelScopeTokenSerializer(data=request.data))

        def shown(changed: Server) -> ServerJson:
            drop_connections(changed)
            row, mine = servers_of(self.actor).get(id=changed.id), credentials_of(self.actor, changed.id)
            return server_json(row, language_of(request), usage.counts(self.actor.team.id, [row]), mine.get(row.id))

        return answer(request, self.actor, look_up_again(self.actor, server, data["token"]), shown)
