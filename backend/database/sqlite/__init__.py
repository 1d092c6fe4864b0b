"""The database engine of the embedded mode: Django's SQLite, opened without writing."""
