"""The audit trail: rows, their chain of digests, reading, verifying, erasing."""
