"""Apps of Dify as documents of ours: read, mapped node by node, put together, mended. Pure: no Django, no network.

`conversion.converted` is the door. A node type of Dify is one file in `nodes`.
"""
