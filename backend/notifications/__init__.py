"""One way to tell open pages that something changed, and one to wake workers."""
