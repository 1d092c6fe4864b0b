"""Webhooks: an address that another program calls, from the proof of who calls to the answer."""
