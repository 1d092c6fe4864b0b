"""REST of teams: make, rename, delete; members and their roles; invitations and those who accept them."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import ensure_csrf_cookie
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from backend.accounts.actor import Actor
from backend.accounts.api.serializers import TeamChangeSerializer, me_shape, team_shape
from backend.accounts.api.serializers_teams import (
    PRIVATE,
    InvitationAcceptSerializer,
    InvitationNewSerializer,
    InvitationTextSerializer,
    MemberChangeSerializer,
    PrivateSerializer,
    TeamNewSerializer,
    TransferSerializer,
    belongings_shape,
    invitation_shape,
    member_shape,
    with_factor,
)
from backend.accounts.auth.authentication import PersonAuthentication
from backend.accounts.auth.sessions import sign_in
from backend.accounts.models import Membership, Role, User
from backend.accounts.responses import MeJson, TeamJson, TeamListJson
from backend.accounts.responses_teams import (
    BelongingsJson,
    InvitationJson,
    InvitationListJson,
    InvitationSeenJson,
    MemberJson,
    MemberListJson,
)
from backend.accounts.teams import invitations, members, teams
from backend.errors import ValidationFailed
from backend.web.lookup import storable
from backend.web.rest import ApiView, checked, page


class TeamsView(ApiView):
    """One's teams."""

    roles = {"POST": "viewer"}
    scopes = {"POST": "admin"}

    @extend_schema(operation_id="teams", responses=TeamListJson)
    def get(self, request: Request) -> Response:
        """All teams one is a member of."""
        return Response({"results": me_shape(self.actor)["teams"], "next": None})

    @extend_schema(operation_id="team_create", request=TeamNewSerializer, responses={201: TeamJson})
    def post(self, request: Request) -> Response:
        """Make a team, of which one is the owner. 403 for who is neither owner nor admin anywhere."""
        created = teams.team_new(self.actor, checked(TeamNewSerializer(data=request.data))["name"])
        return Response({**team_shape(self.actor, created), "role": "owner"}, status=201)


class TeamView(ApiView):
    """The team acted in."""

    roles = {"PATCH": "admin", "DELETE": "owner"}

    @extend_schema(operation_id="team", responses=TeamJson)
    def get(self, request: Request) -> Response:
        """The team with its budget."""
        return Response(team_shape(self.actor))

    @extend_schema(operation_id="team_update", request=TeamChangeSerializer, responses=TeamJson)
    def patch(self, request: Request) -> Response:
        """Rename the team; set what its models may use in a day (UTC), null takes a limit away."""
        teams.team_update(self.actor, checked(TeamChangeSerializer(data=request.data)))
        return Response(team_shape(self.actor))

    @extend_schema(
        operation_id="team_delete",
        parameters=[OpenApiParameter("name", str, required=True, description="The team's name, typed again.")],
        responses={204: None},
    )
    def delete(self, request: Request) -> Response:
        """Delete the team and everything in it."""
        teams.team_delete(self.actor, request.query_params.get("name", ""))
        return Response(status=204)


class TransferView(ApiView):
    """Handing the team over."""

    roles = {"POST": "owner"}

    @extend_schema(operation_id="team_transfer", request=TransferSerializer, responses=MemberJson)
    def post(self, request: Request) -> Response:
        """Make another member the owner; oneself becomes an admin."""
        key = checked(TransferSerializer(data=request.data))["member"]
        return Response(member_shape(members.team_transfer(self.actor, key)))


class LeaveView(ApiView):
    """Leaving the team."""

    roles = {"POST": "viewer"}
    scopes = {"POST": "admin"}

    @extend_schema(operation_id="team_leave", request=PrivateSerializer, responses={204: None})
    def post(self, request: Request) -> Response:
        """End one's own membership. 409 for the last owner."""
        private = checked(PrivateSerializer(data=request.data))["private"]
        members.member_remove(self.actor, members.own_membership(self.actor).pk, private)
        return Response(status=204)


class OwnBelongingsView(ApiView):
    """What one has alone in the team."""

    @extend_schema(operation_id="team_belongings", responses=BelongingsJson)
    def get(self, request: Request) -> Response:
        """How many tokens, private servers and providers one has, and how many runs of one's own are going."""
        return Response(belongings_shape(members.deletion_consequences(members.own_membership(self.actor))))


def _matching_members(actor: Actor, search: str, role: str | None, user: str | None) -> QuerySet[Membership]:
    """The members of the actor's team with this in their name or e-mail; "" = all. Of a role, of a person, if given."""
    rows, search = Membership.objects.select_related("user").filter(team=actor.team), search.strip()
    if not storable(search) or not storable(user or ""):
        return rows.none()
    if search:
        rows = rows.filter(Q(user__name__icontains=search) | Q(user__email__icontains=search))
    if role:
        rows = rows.filter(role=role)
    return rows.filter(user=user) if user else rows


class MembersView(ApiView):
    """The members of the team acted in."""

    @extend_schema(
        operation_id="members",
        parameters=[
            OpenApiParameter("cursor", str),
            OpenApiParameter("limit", int),
            OpenApiParameter("q", str, description="Only members with this in their name or e-mail."),
            OpenApiParameter("role", str, enum=Role.values),
            OpenApiParameter("user", str, description="Only this person."),
        ],
        responses=MemberListJson,
    )
    def get(self, request: Request) -> Response:
        """Members, newest first."""
        query = request.query_params
        role = query.get("role")
        if role and role not in Role.values:
            raise ValidationFailed(fields={"role": [f"must be one of {', '.join(Role.values)}"]})
        rows = _matching_members(self.actor, query.get("q") or "", role, query.get("user"))
        factors = with_factor(self.actor.team.pk) if self.actor.may("admin") else None
        return page(request, rows, lambda row: member_shape(row, factors))


class MemberView(ApiView):
    """One member."""

    roles = {"PATCH": "admin", "DELETE": "admin"}

    @extend_schema(operation_id="member_update", request=MemberChangeSerializer, responses=MemberJson)
    def patch(self, request: Request, key: str) -> Response:
        """Give the member another role. Admins decide on viewers and editors, owners on all."""
        role = checked(MemberChangeSerializer(data=request.data))["role"]
        return Response(member_shape(members.member_change(self.actor, key, role)))

    @extend_schema(
        operation_id="member_remove",
        parameters=[
            OpenApiParameter("private", str, enum=PRIVATE, description="What becomes of what is theirs alone: delete.")
        ],
        responses={204: None},
    )
    def delete(self, request: Request, key: str) -> Response:
        """Remove the member. Their tokens end, their pages close, their running work goes on."""
        private = checked(PrivateSerializer(data=request.query_params.dict()))["private"]
        members.member_remove(self.actor, key, private)
        return Response(status=204)


class BelongingsView(ApiView):
    """What a member has alone in the team."""

    roles = {"GET": "admin"}

    @extend_schema(operation_id="member_belongings", responses=BelongingsJson)
    def get(self, request: Request, key: str) -> Response:
        """What is decided about when the member is removed."""
        return Response(belongings_shape(members.deletion_consequences(members.member_for(self.actor, key))))


class InvitationsView(ApiView):
    """The team's invitations."""

    roles = {"GET": "admin", "POST": "admin"}

    @extend_schema(operation_id="invitations", responses=InvitationListJson)
    def get(self, request: Request) -> Response:
        """Invitations that nobody used, newest first, without their links."""
        return page(request, invitations.invitations(self.actor), invitation_shape)

    @extend_schema(operation_id="invitation_create", request=InvitationNewSerializer, responses={201: InvitationJson})
    def post(self, request: Request) -> Response:
        """Make an invitation; its link is in this answer and never again."""
        data = checked(InvitationNewSerializer(data=request.data))
        created = invitations.invitation_create(self.actor, data["role"], data["email"], data["expires_in_days"])
        return Response(invitation_shape(*created), status=201)


class InvitationView(ApiView):
    """One invitation."""

    roles = {"DELETE": "admin"}

    @extend_schema(operation_id="invitation_delete", responses={204: None})
    def delete(self, request: Request, key: str) -> Response:
        """Withdraw the invitation; its link stops working."""
        invitations.invitation_delete(self.actor, key)
        return Response(status=204)


class InvitationThrottle(SimpleRateThrottle):
    """Guessing an invitation is hopeless already; this keeps it cheap too."""

    rate = "60/min"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        """One bucket per address."""
        return f"invitation:{self.get_ident(request)}"


@method_decorator(ensure_csrf_cookie, name="dispatch")
class _ByLinkView(APIView):
    """Somebody with an invitation, signed in or not."""

    authentication_classes = (PersonAuthentication,)
    permission_classes = (AllowAny,)
    throttle_classes = (InvitationThrottle,)

    def person(self, request: Request) -> User | None:
        """Who is signed in."""
        return request.user if isinstance(request.user, User) else None


class InvitationLookView(_ByLinkView):
    """Looking at an invitation."""

    @extend_schema(
        operation_id="invitation_look", auth=[], request=InvitationTextSerializer, responses=InvitationSeenJson
    )
    def post(self, request: Request) -> Response:
        """What the invitation is for. Looking does not use it."""
        row = invitations.invitation_find(checked(InvitationTextSerializer(data=request.data))["token"])
        you = self.person(request)
        return Response(
            {
                "team": row.team.name,
                "role": row.role,
                "invited_by": (row.created_by.name or row.created_by.email) if row.created_by else "",
                "expires_at": row.expires_at,
                "email": row.email,
                "account": bool(row.email) and invitations.has_account(row.email),
                "you": you.email if you else None,
                "member": you is not None and Membership.objects.filter(team=row.team, user=you).exists(),
            }
        )


class InvitationAcceptView(_ByLinkView):
    """Accepting an invitation."""

    @extend_schema(operation_id="invitation_accept", auth=[], request=InvitationAcceptSerializer, responses=MeJson)
    def post(self, request: Request) -> Response:
        """Become a member: as who is signed in, else as a new person, who is signed in by it."""
        data = checked(InvitationAcceptSerializer(data=request.data))
        you = self.person(request)
        actor = invitations.invitation_accept(data.pop("token"), you, data)
        if you is None:
            sign_in(request._request, actor.user)
        return Response(me_shape(actor))
