"""Versions of what agents and planners say to models and ask people (`NodeContext.behaviour`). Pure.

0  journals from before there were versions
1  tools' results are marked as data; the model is told what a person changed in its call
2  a planner's MEDIUM plan is confirmed with `auto_execute` too; it notes facts, and notices that it repeats a step
3  what planners and LLM nodes say is kept within the model's context, and an agent's asking for JSON
4  many tools are searched instead of being offered at once
"""

BEHAVIOUR = 4
"""The version that attempts keep to that begin now."""
