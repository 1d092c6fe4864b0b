"""Every page and dialog as a picture, to be looked at: `make gallery` writes `<view>/<language>-<theme>-<width>.png`.

An installation of its own is filled (`seeded.py`), each view is opened as a person would (`views.py`) and taken as it
stands (`taking.py`). `--only PATTERN`, `--widths`, `--themes` and `--languages` choose some of them.
"""
