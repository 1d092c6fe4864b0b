"""Requests before Django and around it: bodies, idle connections, compression, headers, Daphne."""
