"""Addresses of the accounts room below /api/."""

from django.urls import path

from backend.accounts import api, api_audit, api_passkeys, api_person, api_teams

urlpatterns = [
    path("me", api.MeView.as_view()),
    path("me/security", api_person.SecurityView.as_view()),
    path("me/password", api_person.PasswordView.as_view()),
    path("me/two-factor/begin", api_person.TwoFactorBeginView.as_view()),
    path("me/two-factor/confirm", api_person.TwoFactorConfirmView.as_view()),
    path("me/two-factor/codes", api_person.TwoFactorCodesView.as_view()),
    path("me/two-factor/off", api_person.TwoFactorOffView.as_view()),
    path("me/passkeys", api_passkeys.PasskeysView.as_view()),
    path("me/passkeys/begin", api_passkeys.PasskeyBeginView.as_view()),
    path("me/passkeys/<str:key>/remove", api_passkeys.PasskeyRemoveView.as_view()),
    path("sign-in/passkey/begin", api_passkeys.SignInBeginView.as_view()),
    path("sign-in/passkey", api_passkeys.SignInView.as_view()),
    path("me/sessions", api_person.SessionsView.as_view()),
    path("me/sessions/end", api_person.SessionsEndView.as_view()),
    path("me/sessions/<str:key>", api_person.SessionView.as_view()),
    path("me/end", api_person.EndView.as_view()),
    path("setup", api.SetupView.as_view()),
    path("teams", api_teams.TeamsView.as_view()),
    path("teams/current", api_teams.TeamView.as_view()),
    path("teams/current/transfer", api_teams.TransferView.as_view()),
    path("teams/current/leave", api_teams.LeaveView.as_view()),
    path("teams/current/belongings", api_teams.OwnBelongingsView.as_view()),
    path("teams/members", api_teams.MembersView.as_view()),
    path("teams/members/<str:key>", api_teams.MemberView.as_view()),
    path("teams/members/<str:key>/belongings", api_teams.BelongingsView.as_view()),
    path("teams/invitations", api_teams.InvitationsView.as_view()),
    path("teams/invitations/<str:key>", api_teams.InvitationView.as_view()),
    path("invitations/look", api_teams.InvitationLookView.as_view()),
    path("invitations/accept", api_teams.InvitationAcceptView.as_view()),
    path("audit", api_audit.AuditView.as_view()),
    path("audit/chain", api_audit.AuditChainView.as_view()),
    path("audit/export", api_audit.AuditExportView.as_view()),
    path("tokens", api.TokensView.as_view()),
    path("tokens/<str:key>", api.TokenView.as_view()),
]
