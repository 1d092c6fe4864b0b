"""Versions of what agents and planners say to models and ask people (`NodeContext.behaviour`). Pure.

0  journals from before there were versions
1  tools' results are marked as data; the model is told what a person changed in its call
"""

BEHAVIOUR = 1
"""The version that attempts keep to that begin now."""
