"""REST for signing in to servers by OAuth: how it stands, begin, come back, fetch a token as Patchbay, sign out."""

from __future__ import annotations

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.actor import Actor, actor_for
from backend.accounts.api.person import PersonView
from backend.errors import NotFound
from backend.registry.selectors import team_of
from backend.registry.serializers import ReturnedSerializer, SignInAtSerializer
from backend.registry.servers import sign_in
from backend.registry.servers.sign_in import SignInBegunJson, SignInDoneJson, SignInJson
from backend.server_signin.flow import Returned, Visitor, pending_for
from backend.web.remote_requests import answer
from backend.web.rest import ApiView, checked, language_of


class ServerSignIn(ApiView):
    """The sign-in at a server: of the team, or your own where each member has their own."""

    roles = {"DELETE": "editor", "POST": "admin"}

    @extend_schema(operation_id="servers_sign_in", responses=SignInJson)
    def get(self, request: Request, server: str) -> Response:
        """How it stands; the requests of the flow for those who may sign in."""
        return Response(sign_in.read(self.actor, server, request.get_host(), language_of(request)))

    @extend_schema(operation_id="servers_sign_in_fetch", request=None, responses=SignInJson)
    def post(self, request: Request, server: str) -> HttpResponse:
        """Have Patchbay fetch a token with its own credentials, now. Runs that wait for it go on."""
        work = sign_in.fetch(self.actor, server, request.get_host(), language_of(request))
        return answer(request, self.actor, work)

    @extend_schema(operation_id="servers_sign_out", responses={204: None})
    def delete(self, request: Request, server: str) -> HttpResponse:
        """Forget the tokens. Connections with them end at once; the authorization server is told."""
        return answer(request, self.actor, sign_in.sign_out(self.actor, server), empty=True)


class BrowserView(PersonView):
    """What only a browser does: the authorization server shows its page there."""

    def visitor(self, request: Request) -> Visitor:
        """The person and their browser."""
        return Visitor(self.you, request._request.session.session_key, request.get_host())

    def acting(self, team: str) -> Actor:
        """The person in a team of theirs. Raises NotFound."""
        actor = actor_for(self.you, team) if team else None
        if actor is None:
            raise NotFound
        return actor


class SignInBegin(BrowserView):
    """The way to an authorization server."""

    @extend_schema(operation_id="servers_sign_in_begin", request=SignInAtSerializer, responses=SignInBegunJson)
    def post(self, request: Request) -> HttpResponse:
        """Find out where to sign in; send the browser to `url`. Good for ten minutes, once, in this browser."""
        server = checked(SignInAtSerializer(data=request.data))["server"]
        actor = self.acting(team_of(server))
        return answer(request, actor, sign_in.sign_in(actor, server, self.visitor(request)))


class SignInReturn(BrowserView):
    """The way back from an authorization server."""

    @extend_schema(operation_id="servers_sign_in_return", request=ReturnedSerializer, responses=SignInDoneJson)
    def post(self, request: Request) -> HttpResponse:
        """What the authorization server put into the address: the code is taken for tokens, once."""
        back = Returned(**checked(ReturnedSerializer(data=request.data)))
        pending = pending_for(self.visitor(request), back.state)
        actor = self.acting(pending.team_id)
        return answer(request, actor, sign_in.come_back(actor, pending, back))
