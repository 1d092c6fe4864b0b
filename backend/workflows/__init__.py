"""Graph documents: drafts with revisions, immutable versions, validation, import and export."""
