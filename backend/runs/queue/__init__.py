"""Whose turn it is and who owns a run: leases, fairness, slots, the inbox, live workers."""
