"""REST of accounts, teams and the audit trail."""
