"""Pages: a form or a chat by a secret link or for members, and what of a run they let people see."""
