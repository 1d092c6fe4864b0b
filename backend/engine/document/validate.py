"""Every problem of a document at once: `validate(document, types) -> [Problem]`.

Never raises, whatever the document holds, and takes time in proportion to its size. A document without a problem of
severity "error" can be compiled. Problems of nodes that cannot run (not reached from start, disabled) are warnings.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from backend.engine.document.config_paths import is_covered
from backend.engine.document.frames import Frames
from backend.engine.document.graph import Edge, Node, error_ports, read_graph
from backend.engine.document.labels import label_at
from backend.engine.document.problems import Problem, Problems, Severity
from backend.engine.document.types import ERROR, NodeType, NodeTypes, is_expression
from backend.engine.language.clean import clean
from backend.engine.language.expressions import MAX_DEPTH, Reference, pointer_token, scan
from backend.errors import ResultTooLarge
from backend.tools.types import JsonObject, JsonValue

__all__ = ["Check", "Problem", "validate"]

SYS = frozenset({"run_id", "workflow", "user", "time", "conversation_id"})
_EXPECTED = {"string": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array"}


def validate(document: object, types: NodeTypes) -> list[Problem]:
    """All problems, in the order: shape, start, types and configs, structure, references."""
    return Check(document, types).problems


class Check:
    """One look at a document: `problems`, and what compiling needs of it (`graph`, `frames`, `configs`, `reached`)."""

    def __init__(self, document: object, types: NodeTypes) -> None:
        problems = self.problems = Problems()
        self.types = types
        self.graph = read_graph(document, problems)
        self.configs: dict[str, JsonObject] = {}  # cleaned, upgraded, with defaults; only where the config is valid
        self.frames = Frames(self.graph)
        self.start = self._start()
        containers = {n.id for n in self.graph.nodes.values() if n.type in types and types[n.type].container}
        self.reached = self.frames.reached([self.start] if self.start else [], containers)
        problems.idle = frozenset(n.id for n in self.graph.nodes.values() if n.id not in self.reached or n.disabled)
        for node in self.graph.nodes.values():
            self._type(node)
        self._parents()
        self._edges()
        self._cycles()
        self._unreached()
        self._stand_ins()
        self._end_names()
        self._references()
        self._secrets()
        self._variables_set_at_once()

    # -- types and configs --------------------------------------------------------------------------------------------

    def _type(self, node: Node) -> None:
        type_ = self.types.get(node.type)
        if type_ is None:
            self.problems.add("type_unknown", f"{node.at}/type", node=node.id, type=node.type[:80])
            return
        if node.v > type_.v:
            self.problems.add("type_newer", f"{node.at}/v", node=node.id, type=node.type, v=node.v, known=type_.v)
            return
        if _too_deep(node.config):
            self.problems.add("config_deep", f"{node.at}/config", node=node.id, limit=MAX_DEPTH)
            node.config = {}
            return
        try:
            node.config = clean(node.config)
        except ResultTooLarge:
            self.problems.add("config_deep", f"{node.at}/config", node=node.id, limit=MAX_DEPTH)
            return
        config = node.config
        if node.v < type_.v and type_.upgrade:
            config = type_.upgrade(config, node.v)
        known = {field.alias or name for name, field in type_.config.model_fields.items()}
        for key in config:
            if key not in known:
                path = f"{node.at}/config/{pointer_token(key)}"
                self.problems.add("config_unknown", path, severity="warning", node=node.id, field=key)
        try:
            self.configs[node.id] = type_.config.model_validate(config).model_dump(by_alias=True)
        except ValidationError as error:
            self._config_problems(node, error)

    def _config_problems(self, node: Node, error: ValidationError) -> None:
        model = self.types[node.type].config
        for item in error.errors(include_url=False, include_input=False)[:100]:
            place = [str(part) for part in item["loc"]]
            path = "/".join([f"{node.at}/config", *(pointer_token(part) for part in place)])
            field = ".".join(place)
            label = label_at(model, item["loc"])
            kind, context = item["type"], item.get("ctx") or {}
            if kind == "missing":
                self.problems.add("config_missing", path, node=node.id, field=field, label=label)
            elif kind == "literal_error":
                self.problems.add(
                    "config_choice", path, node=node.id, field=field, label=label, expected=str(context["expected"])
                )
            elif kind == "expected" or kind.removesuffix("_type") in _EXPECTED:
                expected = str(context.get("expected") or _EXPECTED[kind.removesuffix("_type")])
                self.problems.add("config_type", path, node=node.id, field=field, label=label, expected=expected)
            elif kind in ("dict_type", "model_type", "model_attributes_type"):
                self.problems.add("config_type", path, node=node.id, field=field, label=label, expected="object")
            else:
                self.problems.add("config_wrong", path, node=node.id, field=field, label=label, why=item["msg"])

    # -- structure ----------------------------------------------------------------------------------------------------

    def _parents(self) -> None:
        for node in self.graph.nodes.values():
            if node.parent is None:
                continue
            parent = self.graph.nodes.get(node.parent)
            type_ = self.types.get(parent.type) if parent else None
            around = self.frames.parents(node.id)
            ring = bool(around) and self.graph.nodes[around[-1]].parent is not None
            wrong = parent is None or not around or ring or (type_ is not None and not type_.container)
            if wrong or node.type in ("start", "end"):
                self.problems.add("parent_wrong", f"{node.at}/parent", node=node.id, parent=node.parent)

    def _edges(self) -> None:
        seen: set[tuple[str, str, str, str]] = set()
        for edge in self.graph.edges:
            source, target = self.graph.nodes[edge.source], self.graph.nodes[edge.target]
            if source.parent != target.parent:
                self.problems.add("edge_crosses", edge.at, edge=edge.id, source=source.id, target=target.id)
            key = (edge.source, edge.source_port, edge.target, edge.target_port)
            if key in seen:
                self.problems.add("edge_same", edge.at, severity="warning", edge=edge.id)
            seen.add(key)
            self._port(edge, source, "source_port", edge.source_port)
            self._port(edge, target, "target_port", edge.target_port)

    def _port(self, edge: Edge, node: Node, key: str, port: str) -> None:
        type_ = self.types.get(node.type)
        if type_ is None:
            return
        if key == "target_port":
            known: tuple[str, ...] = type_.ports_in
        elif node.id in self.configs:
            known = type_.ports(self.configs[node.id]) + error_ports(node)
        elif type_.dynamic_ports:
            return
        else:
            known = type_.ports_out + error_ports(node)
        if port not in known:
            self.problems.add("port_unknown", f"{edge.at}/{key}", edge=edge.id, node=node.id, port=port[:80])

    def _cycles(self) -> None:
        for ring in self.frames.cycles():
            trail = " → ".join([*ring[:8], "…"] if len(ring) > 8 else [*ring, ring[0]])
            node = self.graph.nodes[ring[0]]
            self.problems.add("cycle", node.at, node=node.id, nodes=[*ring[:50]], trail=trail)

    def _start(self) -> str | None:
        starts = [n for n in self.graph.nodes.values() if n.type == "start"]
        if not starts:
            self.problems.add("start_missing", "/nodes")
            return None
        for extra in starts[1:]:
            self.problems.add("start_double", extra.at, node=extra.id)
        return starts[0].id

    def _unreached(self) -> None:
        if not self.start:
            return
        for node in self.graph.nodes.values():
            if node.id not in self.reached and node.type != "start":
                self.problems.add("unreached", node.at, severity="warning", node=node.id)

    def _stand_ins(self) -> None:
        """What stands for something missing keeps the document from running, switched off or not."""
        for node in self.graph.nodes.values():
            type_ = self.types.get(node.type)
            if type_ is not None and type_.stands_in and node.id in self.reached:
                self.problems.add(
                    "placeholder", f"{node.at}/type", node=node.id, type=str(node.config.get("type") or "?")[:80]
                )

    def _end_names(self) -> None:
        names: dict[str, str] = {}
        for node in self.graph.nodes.values():
            outputs = self.configs.get(node.id, {}).get("outputs")
            if node.type != "end" or node.id not in self.reached or not isinstance(outputs, dict):
                continue
            if not outputs and not node.disabled and node.parent is None:
                self.problems.add("output_none", f"{node.at}/config/outputs", severity="warning", node=node.id)
            for name in outputs:
                other = names.setdefault(name, node.id)
                if other != node.id:
                    path = f"{node.at}/config/outputs/{pointer_token(name)}"
                    self.problems.add("output_double", path, node=node.id, name=name, other=other)

    # -- references ---------------------------------------------------------------------------------------------------

    def _references(self) -> None:
        variables = set(self.graph.variables)
        for node in self.graph.nodes.values():
            values = self.configs.get(node.id, node.config).get("values")
            if node.type == "set_variable" and isinstance(values, dict):
                variables |= set(values)
        ordered = set(self.frames.order)
        questions: dict[tuple[str, str], list[tuple[Node, Reference]]] = {}
        for node in self.graph.nodes.values():
            type_ = self.types.get(node.type)
            if type_ is None:
                continue
            for reference in self._read(node, type_):
                question = self._reference(node, type_, reference, variables)
                if question and question[0] in ordered:
                    questions.setdefault(question, []).append((node, reference))
        wrong = self.frames.not_upstream(set(questions))
        for pair, nodes in questions.items():
            for node, reference in nodes:
                if pair in wrong:
                    self.problems.add("reference_later", reference.pointer, node=node.id, name=reference.root)
                else:
                    self._output(node, reference)

    def _read(self, node: Node, type_: NodeType) -> list[Reference]:
        """The references of a node; what cannot be read becomes problems here."""
        out: list[Reference] = []
        for key, value in node.config.items():
            if key in type_.raw:
                continue
            references, errors = scan(value, f"{node.at}/config/{pointer_token(key)}")
            out += [item for item in references if not self._covered(node, type_.raw, item.pointer)]
            for path, error in errors:
                if self._covered(node, type_.raw, path):
                    continue
                params = {"expression": error.params["expression"]}
                self.problems.add(f"expression_{error.reason}", path, node=node.id, **params)
        return out

    @staticmethod
    def _covered(node: Node, names: frozenset[str], pointer: str) -> bool:
        return is_covered(names, pointer.removeprefix(f"{node.at}/config"))

    def _reference(
        self, node: Node, type_: NodeType, reference: Reference, variables: set[str]
    ) -> tuple[str, str] | None:
        """Check one reference; gives the pair to ask "is it upstream" for, where that is still open."""
        root, key = reference.root, str(reference.keys[0]) if reference.keys else None
        inside = reference.pointer.split("/")[4] in type_.inner
        chain = [node.id, *self.frames.parents(node.id)]
        if root in ("sys", "env", "vars"):
            self._named(node, reference, root, key, variables)
            return None
        if root in ("item", "index", "loop"):
            expected = "loop" if root == "loop" else "item"
            around = chain if inside else chain[1:]
            kinds = {self.types[self.graph.nodes[c].type].container for c in around if self._known(c)}
            kinds |= {type_.lends} if inside else set()
            if expected not in kinds and not (root == "index" and "loop" in kinds):
                self.problems.add("reference_unknown", reference.pointer, node=node.id, name=root)
            return None
        other = self.graph.nodes.get(root)
        if other is None and any(root in (self.graph.nodes[c].round or ()) for c in chain[1:]):
            return None  # given with the round that a container does
        if other is None or root not in self.reached:
            code = "reference_unknown" if other is None else "reference_later"
            if other is None or node.id in self.reached:
                self.problems.add(code, reference.pointer, node=node.id, name=root)
            return None
        if inside and other.parent == node.id:
            self._output(node, reference)
            return None
        for ancestor in chain:
            if self.graph.nodes[ancestor].parent == other.parent:
                return (ancestor, root)
        self.problems.add("reference_inside", reference.pointer, node=node.id, name=root)
        return None

    def _known(self, id_: str) -> bool:
        return self.graph.nodes[id_].type in self.types

    def _named(self, node: Node, reference: Reference, root: str, key: str | None, variables: set[str]) -> None:
        known: object = {"sys": SYS, "env": self.graph.env, "vars": variables}[root]
        if key is not None and key not in known and not reference.guarded:  # type: ignore[operator]
            self.problems.add("reference_unknown", reference.pointer, node=node.id, name=f"{root}.{key}")
        elif root == "env" and key is not None and is_secret(self.graph.env.get(key)):
            self.problems.add("secret_read", reference.pointer, node=node.id, name=f"env.{key}")

    def _output(self, node: Node, reference: Reference) -> None:
        other = self.graph.nodes[reference.root]
        key = str(reference.keys[0]) if reference.keys else None
        type_ = self.types.get(other.type)
        if type_ is None or key is None or reference.guarded or other.disabled:
            return
        keys = type_.keys(self.configs.get(other.id, other.config))
        if keys is None or key in keys or (key == ERROR and other.on_error != "fail"):
            return
        severity: Severity = "warning" if type_.open_outputs else "error"
        known: list[JsonValue] = [*sorted(keys)[:50]]
        self.problems.add(
            "output_unknown",
            reference.pointer,
            severity=severity,
            node=node.id,
            name=other.id,
            key=key[:80],
            known=known,
        )

    def _secrets(self) -> None:
        for node in self.graph.nodes.values():
            type_ = self.types.get(node.type)
            open_fields = type_.secrets if type_ else frozenset()
            raw = type_.raw if type_ else frozenset()
            for key, value in node.config.items():
                for path, text in _strings(value, f"{node.at}/config/{pointer_token(key)}"):
                    if not is_secret(text):
                        continue
                    if not self._covered(node, open_fields, path):
                        self.problems.add("secret_place", path, node=node.id)
                    elif is_expression(text) and not self._covered(node, raw, path):
                        self.problems.add("secret_mixed", path, node=node.id)

    def _variables_set_at_once(self) -> None:
        """Variables that rounds which run at once set: the log's order decides, which nobody chose."""
        for node in self.graph.nodes.values():
            if node.type != "set_variable":
                continue
            for container in self.frames.parents(node.id):
                count = self.configs.get(container, {}).get("concurrency")
                if isinstance(count, int) and count > 1:
                    self.problems.add(
                        "variable_concurrent",
                        f"{node.at}/config/values",
                        severity="warning",
                        node=node.id,
                        container=container,
                        count=count,
                    )
                    break


def is_secret(value: JsonValue) -> bool:
    """Whether a text of the document names a secret."""
    return isinstance(value, str) and "${secret:" in value


def _strings(value: JsonValue, pointer: str) -> Iterator[tuple[str, str]]:
    stack: list[tuple[str, JsonValue]] = [(pointer, value)]
    while stack:
        path, entry = stack.pop()
        if isinstance(entry, str):
            yield path, entry
        elif isinstance(entry, dict):
            stack.extend((f"{path}/{pointer_token(key)}", member) for key, member in entry.items())
        elif isinstance(entry, list):
            stack.extend((f"{path}/{i}", item) for i, item in enumerate(entry))


def _too_deep(value: JsonValue) -> bool:
    level: list[JsonValue] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            member
            for item in level
            if isinstance(item, dict | list)
            for member in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True
