"""Expressions over JSON values, and what a value may cost. Pure."""
