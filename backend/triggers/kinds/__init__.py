"""One file per kind of trigger: what its configuration may hold, who may make one, what a test of it is given."""
