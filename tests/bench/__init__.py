"""Benchmarks: each figure beside its target and as a ratio to a limit measured in the same run (`make bench`)."""
