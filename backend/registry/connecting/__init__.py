"""From a name in a document to a live server behind its gate, and how servers fare as they are used."""
