"""What a started program sees and may use: its box.

`finding` tells by trying which kind of box this machine gives: bubblewrap, else our own launcher (Landlock and
seccomp), else limits alone. `folders` and `view` decide from a configuration what is seen, `wrapping` puts it into
words for the one or the other, `launcher` is the script that does it where bubblewrap is missing, `starting` starts
one. `groups` bounds memory and processes where we may write control groups, `filters` refuses system calls.

The box is built outside of the program's own environment: what a configuration sets (`LD_PRELOAD`) takes effect inside
only. Held by tests/live/security/test_box.py, where hostile programs try what they can in every kind of box.
"""
