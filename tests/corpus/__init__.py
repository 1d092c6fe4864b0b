"""Installations as older versions left them, in mid-run, and what they came to there: later versions go on from them.

Each folder is named after the commit that left it: `var.tar.xz` (a whole data directory after SIGKILL), `backup.tar.gz`
(a backup made while it ran) and `expected.json` (what every run came to when that commit itself went on). Made by
`python -m tests.corpus.record`, met by `tests/live/corpus`.
"""
