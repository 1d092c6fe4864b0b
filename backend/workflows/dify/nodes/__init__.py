"""One file per node type of Dify, and `MAPPINGS`, which gathers them by the names that Dify gives them."""

from __future__ import annotations

from backend.workflows.dify.mapping import Mapping
from backend.workflows.dify.nodes.agent import AGENT
from backend.workflows.dify.nodes.answer import ANSWER
from backend.workflows.dify.nodes.assigner import ASSIGNER
from backend.workflows.dify.nodes.code import CODE
from backend.workflows.dify.nodes.document_extractor import DOCUMENT_EXTRACTOR
from backend.workflows.dify.nodes.end import END
from backend.workflows.dify.nodes.http_request import HTTP_REQUEST
from backend.workflows.dify.nodes.if_else import IF_ELSE
from backend.workflows.dify.nodes.iteration import ITERATION
from backend.workflows.dify.nodes.knowledge_retrieval import KNOWLEDGE_RETRIEVAL
from backend.workflows.dify.nodes.list_operator import LIST_OPERATOR
from backend.workflows.dify.nodes.llm import LLM
from backend.workflows.dify.nodes.loop import LOOP, LOOP_END
from backend.workflows.dify.nodes.parameter_extractor import PARAMETER_EXTRACTOR
from backend.workflows.dify.nodes.question_classifier import QUESTION_CLASSIFIER
from backend.workflows.dify.nodes.start import START
from backend.workflows.dify.nodes.template_transform import TEMPLATE_TRANSFORM
from backend.workflows.dify.nodes.tool import TOOL
from backend.workflows.dify.nodes.triggers import SCHEDULE, WEBHOOK
from backend.workflows.dify.nodes.variable_aggregator import VARIABLE_AGGREGATOR

MAPPINGS: dict[str, Mapping] = {
    "start": START,
    "end": END,
    "answer": ANSWER,
    "llm": LLM,
    "if-else": IF_ELSE,
    "question-classifier": QUESTION_CLASSIFIER,
    "parameter-extractor": PARAMETER_EXTRACTOR,
    "template-transform": TEMPLATE_TRANSFORM,
    "variable-aggregator": VARIABLE_AGGREGATOR,
    "variable-assigner": VARIABLE_AGGREGATOR,  # its name in the first versions
    "assigner": ASSIGNER,
    "iteration": ITERATION,
    "loop": LOOP,
    "loop-end": LOOP_END,
    "http-request": HTTP_REQUEST,
    "code": CODE,
    "list-operator": LIST_OPERATOR,
    "document-extractor": DOCUMENT_EXTRACTOR,
    "tool": TOOL,
    "knowledge-retrieval": KNOWLEDGE_RETRIEVAL,
    "knowledge-retrieval-v2": KNOWLEDGE_RETRIEVAL,
    "agent": AGENT,
    "trigger-webhook": WEBHOOK,
    "trigger-schedule": SCHEDULE,
    "trigger-plugin": SCHEDULE,
}
