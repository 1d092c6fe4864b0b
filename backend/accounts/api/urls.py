"""Addresses of the accounts room below /api/."""

from django.urls import path

from backend.accounts.api import account, audit, passkeys, person, teams

urlpatterns = [
    path("me", account.MeView.as_view()),
    path("me/security", person.SecurityView.as_view()),
    path("me/password", person.PasswordView.as_view()),
    path("me/two-factor/begin", person.TwoFactorBeginView.as_view()),
    path("me/two-factor/confirm", person.TwoFactorConfirmView.as_view()),
    path("me/two-factor/codes", person.TwoFactorCodesView.as_view()),
    path("me/two-factor/off", person.TwoFactorOffView.as_view()),
    path("me/passkeys", passkeys.PasskeysView.as_view()),
    path("me/passkeys/begin", passkeys.PasskeyBeginView.as_view()),
    path("me/passkeys/<str:key>/remove", passkeys.PasskeyRemoveView.as_view()),
    path("sign-in/passkey/begin", passkeys.SignInBeginView.as_view()),
    path("sign-in/passkey", passkeys.SignInView.as_view()),
    path("me/sessions", person.SessionsView.as_view()),
    path("me/sessions/end", person.SessionsEndView.as_view()),
    path("me/sessions/<str:key>", person.SessionView.as_view()),
    path("me/end", person.EndView.as_view()),
    path("setup", account.SetupView.as_view()),
    path("teams", teams.TeamsView.as_view()),
    path("teams/current", teams.TeamView.as_view()),
    path("teams/current/transfer", teams.TransferView.as_view()),
    path("teams/current/leave", teams.LeaveView.as_view()),
    path("teams/current/belongings", teams.OwnBelongingsView.as_view()),
    path("teams/members", teams.MembersView.as_view()),
    path("teams/members/<str:key>", teams.MemberView.as_view()),
    path("teams/members/<str:key>/belongings", teams.BelongingsView.as_view()),
    path("teams/invitations", teams.InvitationsView.as_view()),
    path("teams/invitations/<str:key>", teams.InvitationView.as_view()),
    path("invitations/look", teams.InvitationLookView.as_view()),
    path("invitations/accept", teams.InvitationAcceptView.as_view()),
    path("audit", audit.AuditView.as_view()),
    path("audit/chain", audit.AuditChainView.as_view()),
    path("audit/export", audit.AuditExportView.as_view()),
    path("tokens", account.TokensView.as_view()),
    path("tokens/<str:key>", account.TokenView.as_view()),
]
