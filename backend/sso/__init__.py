"""Sign-in through an identity provider (OpenID Connect): who it says somebody is, and what their groups may here."""
