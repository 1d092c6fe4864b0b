"""The one way out: `client` (guarded HTTP), `rules` (which addresses), `urls` (which spellings), `masking` (what
comes back, without secrets).

Every URL that a person, a document or a model can influence goes through `GuardedClient`. The check is made on the
resolved addresses at the moment of connecting, so no spelling, no name and no redirect gets round it.
"""
