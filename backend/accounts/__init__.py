"""Who people are and what they may: users, teams, memberships, invitations, API tokens, audit, opaque ids."""
