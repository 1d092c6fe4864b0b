"""REST of passkeys: one's own, and signing in with one."""

from __future__ import annotations

from typing import Any, TypedDict

from django.contrib.auth import logout
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_protect, ensure_csrf_cookie
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from backend.accounts.actor import actor_for
from backend.accounts.api.person import PersonView
from backend.accounts.api.serializers import me_shape
from backend.accounts.api.serializers_person import ProofSerializer
from backend.accounts.auth import passkeys
from backend.accounts.auth.sessions import sign_in
from backend.accounts.described import Timestamp
from backend.accounts.responses import MeJson
from backend.accounts.responses_person import RecoveryCodesJson
from backend.errors import Unauthenticated
from backend.web.rest import checked


class PasskeyJson(TypedDict):
    """A passkey."""

    id: str
    name: str
    created_at: Timestamp
    last_used_at: Timestamp | None


class PasskeyListJson(TypedDict):
    """One's passkeys."""

    results: list[PasskeyJson]
    next: str | None


class PasskeyOptionsJson(TypedDict):
    """What `navigator.credentials` is called with, as its `parse…OptionsFromJSON` read it."""

    options: dict[str, Any]


class PasskeyNewSerializer(serializers.Serializer[Any]):
    """What the browser made: a credential's `toJSON()`."""

    name = serializers.CharField(max_length=100)
    credential = serializers.DictField()


class PasskeyAnswerSerializer(serializers.Serializer[Any]):
    """What the browser answered: a credential's `toJSON()`."""

    credential = serializers.DictField()


class PasskeysView(PersonView):
    """One's passkeys."""

    @extend_schema(operation_id="passkeys", responses=PasskeyListJson)
    def get(self, request: Request) -> Response:
        """The oldest first."""
        return Response({"results": passkeys.passkeys(self.you), "next": None})

    @extend_schema(operation_id="passkey_create", request=PasskeyNewSerializer, responses=RecoveryCodesJson)
    def post(self, request: Request) -> Response:
        """Keep the passkey that the browser made; recovery codes come with the first factor."""
        data = checked(PasskeyNewSerializer(data=request.data))
        codes = passkeys.register(request._request, self.you, data["name"], data["credential"])
        return Response({"codes": codes})


class PasskeyBeginView(PersonView):
    """Making a passkey."""

    @extend_schema(operation_id="passkey_begin", request=ProofSerializer, responses=PasskeyOptionsJson)
    def post(self, request: Request) -> Response:
        """What the browser needs to make one. Nothing is kept until it is sent."""
        password = checked(ProofSerializer(data=request.data))["password"]
        return Response({"options": passkeys.register_begin(request._request, self.you, password)})


class PasskeyRemoveView(PersonView):
    """One passkey."""

    @extend_schema(operation_id="passkey_remove", request=ProofSerializer, responses={204: None})
    def post(self, request: Request, key: str) -> Response:
        """It signs nobody in any more."""
        password = checked(ProofSerializer(data=request.data))["password"]
        passkeys.remove(request._request, self.you, key, password)
        return Response(status=204)


class PasskeyThrottle(SimpleRateThrottle):
    """Guessing is hopeless; each challenge is a row all the same. Whole offices come from one address."""

    rate = "120/min"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        """One bucket per address."""
        return f"passkey:{self.get_ident(request)}"


@method_decorator([ensure_csrf_cookie, csrf_protect], name="dispatch")
class _SignInView(APIView):
    """For our own page alone: a stranger's must not sign somebody in as somebody else."""

    authentication_classes = ()
    permission_classes = (AllowAny,)
    throttle_classes = (PasskeyThrottle,)


class SignInBeginView(_SignInView):
    """Signing in with a passkey."""

    @extend_schema(operation_id="passkey_sign_in_begin", auth=[], request=None, responses=PasskeyOptionsJson)
    def post(self, request: Request) -> Response:
        """What the browser needs to ask for one."""
        return Response({"options": passkeys.sign_in_begin()})


class SignInView(_SignInView):
    """Signing in with a passkey."""

    @extend_schema(operation_id="passkey_sign_in", auth=[], request=PasskeyAnswerSerializer, responses=MeJson)
    def post(self, request: Request) -> Response:
        """Sign in whose passkey answered."""
        user = passkeys.sign_in_user(checked(PasskeyAnswerSerializer(data=request.data))["credential"])
        logout(request._request)
        sign_in(request._request, user)
        actor = actor_for(user)
        if actor is None:
            raise Unauthenticated(params={"reason": "no_team"}, detail={"reason": "no_team", "email": user.email})
        return Response(me_shape(actor))
