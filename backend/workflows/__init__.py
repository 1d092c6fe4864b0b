"""Graph documents: drafts with revisions, published versions, problems, comparison, import and export.

A document is kept as the JSON value that was sent: nothing is added, nothing dropped. Saving, opening, validating and
importing one touches no server; what the registry knows of servers and tools comes from its cache.
"""
