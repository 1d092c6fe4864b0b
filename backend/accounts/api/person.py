"""REST of one's own account: password, second factor, sessions, its end. For people, not for tokens."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import logout
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from backend.accounts.api.serializers_person import (
    AccountEndSerializer,
    CodeSerializer,
    PasswordChangeSerializer,
    ProofSerializer,
)
from backend.accounts.auth import factor_demands, sessions, two_factor
from backend.accounts.auth.authentication import PersonAuthentication
from backend.accounts.models import User
from backend.accounts.responses_person import (
    EndedJson,
    FateListJson,
    RecoveryCodesJson,
    SecurityJson,
    SessionListJson,
    TwoFactorSetupJson,
)
from backend.accounts.teams import account
from backend.errors import Unauthenticated
from backend.web.permissions import IsOperator, IsPerson
from backend.web.rest import ApiView, checked


class PersonView(ApiView):
    """Something of the person signed in, in whatever team or in none."""

    authentication_classes = (PersonAuthentication,)
    permission_classes: tuple[type[BasePermission], ...] = (IsPerson,)

    @property
    def you(self) -> User:
        """The person signed in. Only called after the permission check."""
        user = self.request.user
        if not isinstance(user, User):
            raise Unauthenticated
        return user


class OperatorView(PersonView):
    """Something of the whole installation: for operators, signed in, and never for a token."""

    permission_classes = (IsOperator,)


class SecurityView(PersonView):
    """How one signs in."""

    @extend_schema(operation_id="me_security", responses=SecurityJson)
    def get(self, request: Request) -> Response:
        """Whether there is a password and a second factor."""
        return Response(
            {
                "password_set": self.you.has_usable_password(),
                "asks_password": not sessions.proved_by_link(request._request),
                "identity_provider": settings.PATCHBAY.oidc_name if factor_demands.provider_only(self.you) else None,
                "two_factor": two_factor.state(self.you),
            }
        )


class PasswordView(PersonView):
    """One's password."""

    @extend_schema(operation_id="me_password", request=PasswordChangeSerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        """Change the password, or set the first one. All other sessions end, and API tokens unless they are kept."""
        data = checked(PasswordChangeSerializer(data=request.data))
        current, new = data["current_password"], data["new_password"]
        account.password_set(request._request, self.you, current, new, keep_tokens=data["keep_tokens"])
        return Response(status=204)


class TwoFactorBeginView(PersonView):
    """Setting up the second factor."""

    @extend_schema(operation_id="two_factor_begin", request=ProofSerializer, responses=TwoFactorSetupJson)
    def post(self, request: Request) -> Response:
        """A new secret for the authenticator app. Nothing is on until a code confirms it."""
        password = checked(ProofSerializer(data=request.data))["password"]
        setup = two_factor.begin(request._request, self.you, password)
        return Response({"secret": setup.secret, "uri": setup.uri, "svg": setup.svg})


class TwoFactorConfirmView(PersonView):
    """Switching the second factor on."""

    @extend_schema(operation_id="two_factor_confirm", request=CodeSerializer, responses=RecoveryCodesJson)
    def post(self, request: Request) -> Response:
        """Switch it on with a code of the app; the recovery codes are in this answer and never again."""
        code = checked(CodeSerializer(data=request.data))["code"]
        return Response({"codes": two_factor.confirm(request._request, self.you, code)})


class TwoFactorCodesView(PersonView):
    """The recovery codes."""

    @extend_schema(operation_id="two_factor_codes", request=ProofSerializer, responses=RecoveryCodesJson)
    def post(self, request: Request) -> Response:
        """New recovery codes; the old ones stop working."""
        password = checked(ProofSerializer(data=request.data))["password"]
        return Response({"codes": two_factor.codes_renew(request._request, self.you, password)})


class TwoFactorOffView(PersonView):
    """Switching the second factor off."""

    @extend_schema(operation_id="two_factor_off", request=ProofSerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        """Sign in with the password alone again."""
        two_factor.switch_off(request._request, self.you, checked(ProofSerializer(data=request.data))["password"])
        return Response(status=204)


class SessionsView(PersonView):
    """Where one is signed in."""

    @extend_schema(operation_id="me_sessions", responses=SessionListJson)
    def get(self, request: Request) -> Response:
        """One's sessions: the present one, then last used first."""
        return Response({"results": sessions.sessions(self.you, request._request.session.session_key), "next": None})


class SessionsEndView(PersonView):
    """Signing out everywhere else."""

    @extend_schema(operation_id="me_sessions_end", request=None, responses=EndedJson)
    def post(self, request: Request) -> Response:
        """End all one's sessions but this one. Their pages close at once."""
        return Response({"ended": account.sign_out_elsewhere(request._request, self.you)})


class SessionView(PersonView):
    """One session."""

    @extend_schema(operation_id="me_session_end", responses={204: None})
    def delete(self, request: Request, key: str) -> Response:
        """End it; its pages close at once."""
        account.sign_out_one(self.you, key)
        return Response(status=204)


class EndView(PersonView):
    """The end of one's account."""

    @extend_schema(operation_id="me_end_preview", responses=FateListJson)
    def get(self, request: Request) -> Response:
        """What becomes of one's teams."""
        return Response({"results": account.deletion_consequences(self.you), "next": None})

    @extend_schema(operation_id="me_end", request=AccountEndSerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        """Delete one's account for good. 409 where a team would be without an owner."""
        data = checked(AccountEndSerializer(data=request.data))
        account.account_delete(request._request, self.you, data["password"], data["email"])
        logout(request._request)
        return Response(status=204)
