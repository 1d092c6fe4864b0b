"""What other clients and publishers write about servers, read into one list of candidates.

Pure and bounded: text in, candidates with their open questions out. Nothing is looked up, started or connected.
`texts` finds the document in a text (`commands`, `links`), `entries` the servers in a document (`published`), and
`questions` what has to be asked before one of them can be used.
"""
