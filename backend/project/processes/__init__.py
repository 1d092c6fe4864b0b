"""The processes of an installation and the locks that keep them from each other."""
