#!/usr/bin/env python3
"""Writes _core.pyi and _ops.pyi of the Python package: tools/python_stubs.py DIR.

DIR is the built package, build/*/python/sluice; the build calls this. The first
is what nanobind sees in the extension, made strict: every argument and result
has a type. The second is one function per op, by the op records.
"""

import ast
import builtins
import importlib
import inspect
import keyword
import pathlib
import re
import sys
import textwrap
import types

OP_HEAD = '''"""One function per op, written from the op records by the build."""

from collections.abc import Sequence

from ._core import Tensor
from ._typing import Axes, DTypeLike, Ints, Shape, TensorLike

'''
CORE_HEAD = '''"""The C++ library as Python sees it, written by the build."""

# Comparisons of tensors give tensors.
# mypy: disable-error-code="override,misc,overload-overlap,overload-cannot-match"
# mypy: disable-error-code="assignment,type-arg"

import builtins
from typing import Any, TypeAlias

import numpy as _np

from ._typing import DTypeLike, TensorLike

'''
CORE_TAIL = '''
_DType: TypeAlias = dtype
_Tensor: TypeAlias = Tensor

class OpFunction:
    """One op, called with tensors and attributes."""

    __name__: str
    __qualname__: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
'''

KINDS = {
    "bool": "bool", "int": "int", "float": "float", "string": "str",
    "dtype": "DTypeLike", "shape": "Shape | None", "array": "TensorLike",
    "list(int)": "Ints", "list(float)": "float | Sequence[float]",
    "list(string)": "str | Sequence[str]",
    "list(dtype)": "DTypeLike | Sequence[DTypeLike]",
    "list(shape)": "Sequence[Shape | None]",
}
# As op_function.cc has it: names that mean the same.
ALIASES = [("axis", "axes", "dim", "dims"), ("keepdims", "keepdim", "keep_dims")]
WIDTH = 88


def default_text(value):
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if isinstance(value, tuple) and all(isinstance(v, (int, float, str))
                                        for v in value):
        return repr(value)
    return "..."


def aliases_of(name, taken):
    for group in ALIASES:
        if name in group:
            wanted = ("axis", "dim") if group is ALIASES[0] else group[:2]
            return [alias for alias in wanted if alias not in taken]
    return []


def op_parameters(record):
    """Texts of parameters, of those by keyword only, and lines that say more."""
    parameters, by_keyword, notes = [], [], []
    names = [i["name"] for i in record["inputs"] + record["attrs"]]
    for given in record["inputs"]:
        if given["list"]:
            parameters.append(
                f"{given['name']}: Sequence[TensorLike] | TensorLike = ()")
        else:
            parameters.append(f"{given['name']}: TensorLike")
    for attr in record["attrs"]:
        name, kind = attr["name"], KINDS[attr["kind"]]
        others = aliases_of(name, names)
        if others and kind == "Ints":
            kind = "Axes"
        if attr["required"] and not others:
            parameters.append(f"{name}: {kind}")
        else:
            may_be_none = "" if kind.endswith("None") or kind == "Axes" \
                else " | None"
            value = "..." if attr["required"] else default_text(attr["default"])
            parameters.append(f"{name}: {kind}{may_be_none} = {value}")
        for other in others:
            may_be_none = "" if kind == "Axes" else " | None"
            by_keyword.append(f"{other}: {kind}{may_be_none} = ...")
        said = [attr["doc"]] if attr["doc"] else []
        if attr["choices"]:
            said.append("One of " + ", ".join(map(repr, attr["choices"])) + ".")
        if others:
            said.append(f"Also as {' or '.join(others)}=.")
        if said:
            notes.append(f"{name}: {' '.join(said)}")
    if "name" not in names:
        by_keyword.append("name: str | None = None")
    return defaults_last(parameters), by_keyword, notes


def defaults_last(parameters):
    """What follows a parameter with a default has one, too: Python's rule."""
    seen = False
    for i, parameter in enumerate(parameters):
        seen = seen or "=" in parameter
        if seen and "=" not in parameter:
            parameters[i] = f"{parameter} = ..."
    return parameters


def result_of(record):
    outputs = record["outputs"]
    if not outputs:
        return "None"
    if any(o["list"] for o in outputs):
        return "tuple[Tensor, ...]"
    if len(outputs) == 1:
        return "Tensor"
    return f"tuple[{', '.join('Tensor' for _ in outputs)}]"


def docstring(paragraphs, indent):
    text = "\n\n".join(
        "\n".join(textwrap.fill(line, WIDTH - len(indent) - 3,
                                subsequent_indent="  " if p is paragraphs[-1] else "")
                  for line in p.split("\n"))
        for p in paragraphs if p)
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    body = textwrap.indent(text, indent).lstrip()
    end = f"\n{indent}" if "\n" in body or len(body) > WIDTH - 12 else ""
    return f'{indent}"""{body}{end}"""\n'


def op_stub(record):
    parameters, by_keyword, notes = op_parameters(record)
    if any(keyword.iskeyword(p.split(":")[0]) for p in parameters):
        parameters, by_keyword = ["*args: TensorLike"], ["**attrs: object"]
    elif by_keyword:
        parameters = [*parameters, "*"]
    inside = ",\n    ".join([*parameters, *by_keyword])
    head = f"def {record['function']}(\n    {inside},\n) -> {result_of(record)}:\n"
    return head + docstring([record["doc"], record["signature"],
                             "\n".join(notes)], "    ") + "\n"


def ops_text(records, public):
    """`public` tells which of them the package itself has, not another of the
    name that suits numpy's users better."""
    names = ",\n    ".join(repr(r["function"]) for r in records
                          if public(r["function"]))
    return (OP_HEAD + f"__all__ = [\n    {names},\n]\n\n" +
            "".join(op_stub(r) for r in records))


COMPARE = ("lt", "le", "eq", "ne", "gt", "ge")
BINARY = ("add", "sub", "mul", "mod", "pow", "lshift", "rshift", "and", "xor",
          "or", "floordiv", "truediv", "matmul")


def tensor_dunders():
    binary = [f"__{side}{name}__" for name in BINARY for side in ("", "r", "i")]
    found = {name: "(self, value: TensorLike, /) -> _Tensor"
             for name in [*binary, *(f"__{n}__" for n in COMPARE)]}
    for name in ("neg", "abs", "invert", "pos"):
        found[f"__{name}__"] = "(self, /) -> _Tensor"
    found |= {
        "__hash__": "(self) -> builtins.int",
        "__bool__": "(self) -> builtins.bool",
        "__int__": "(self) -> builtins.int",
        "__index__": "(self) -> builtins.int",
        "__float__": "(self) -> builtins.float",
        "__complex__": "(self) -> builtins.complex",
        "__len__": "(self) -> builtins.int",
        "__repr__": "(self) -> builtins.str",
        "__str__": "(self) -> builtins.str",
        "__getitem__": "(self, key: Any, /) -> _Tensor",
        "__setitem__": "(self, key: Any, value: TensorLike, /) -> None",
        "__iter__": "(self) -> Iterator[_Tensor]",
        "__reversed__": "(self) -> _Tensor",
        "__contains__": "(self, value: Any, /) -> builtins.bool",
    }
    return found


class Strict(ast.NodeTransformer):
    """Gives every argument and result a type that means what nanobind meant."""

    GENERIC = {"list": "[Any]", "tuple": "[Any, ...]", "dict": "[str, Any]",
               "set": "[Any]", "frozenset": "[Any]", "type": "[Any]",
               "Callable": "[..., Any]", "Iterable": "[Any]",
               "Iterator": "[Any]", "Sequence": "[Any]", "Mapping": "[Any, Any]",
               "ndarray": "[Any, Any]"}

    def __init__(self, records, defined):
        self.records = records
        self.defined = defined
        self.owner = None

    # ---- Types ----
    def type_of(self, node, result, inside=False):
        """`node` with builtins by their full names: the module and the class
        have members of the same names (bool, list, dtype, float, ...)."""
        if isinstance(node, ast.Subscript):
            base = self.type_of(node.value, result, inside=True)
            node.value = base
            node.slice = self.type_of(node.slice, result)
            return node
        if isinstance(node, (ast.Tuple, ast.List)):
            node.elts = [self.type_of(e, result) for e in node.elts]
            return node
        if isinstance(node, ast.BinOp):
            node.left = self.type_of(node.left, result)
            node.right = self.type_of(node.right, result)
            return node
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                meant = self.parsed(node.value)
            except SyntaxError:  # a class of C++ that Python has no name for
                meant = self.parsed("Any")
            return self.type_of(meant, result, inside)
        if isinstance(node, ast.Attribute) and ast.unparse(node).startswith(
                ("sluice._core.", "_core.")):
            return self.type_of(ast.Name(node.attr), result, inside)
        if isinstance(node, ast.Attribute):
            node = self.parsed(re.sub(r"^(np|numpy)\.", "_np.",
                                      ast.unparse(node)))
            if ast.unparse(node).split(".")[0] not in self.defined:
                return self.parsed("Any")
        if isinstance(node, ast.Attribute) and not inside:
            return self.parsed(ast.unparse(node) + self.GENERIC.get(node.attr, ""))
        if not isinstance(node, ast.Name):
            return node
        name = node.id
        if name == "object":
            return self.parsed("Any")
        if name == "dtype":
            return self.parsed("_DType" if result else "DTypeLike")
        if name == "Tensor":
            return self.parsed("_Tensor")
        generic = "" if inside else self.GENERIC.get(name, "")
        if isinstance(getattr(builtins, name, None), type):
            return self.parsed(f"builtins.{name}{generic}")
        if name not in self.defined:
            name, generic = "Any", ""
        return self.parsed(name + generic)

    @staticmethod
    def parsed(text):
        return ast.parse(text, mode="eval").body

    # ---- Definitions ----
    def visit_ClassDef(self, node):
        outer, self.owner = self.owner, node.name
        self.generic_visit(node)
        self.owner = outer
        return node

    def visit_AnnAssign(self, node):
        node.annotation = self.type_of(node.annotation, result=True)
        return node

    def known(self, node):
        """The text of the arguments where the extension does not say them."""
        if self.owner == "Tensor" and node.name in DUNDERS:
            return DUNDERS[node.name]
        record = self.records.get(node.name)
        untyped = node.args.vararg and not node.args.vararg.annotation
        if self.owner == "Tensor" and record and untyped and record["inputs"]:
            parameters, by_keyword, _ = op_parameters(record)
            if not record["inputs"][0]["list"]:
                star = ["*"] if by_keyword else []
                inside = ", ".join(["self", *parameters[1:], *star, *by_keyword])
                return f"({inside}) -> {result_of(record)}"
        return None

    def visit_FunctionDef(self, node):
        for decorator in node.decorator_list:
            self.visit(decorator)
        if text := self.known(node):
            like = ast.parse(f"def f{text}: ...").body[0]
            node.args, node.returns = like.args, like.returns
            if text != DUNDERS.get(node.name):
                self.annotate(node)
            return node
        self.annotate(node)
        return node

    def annotate(self, node):
        a = node.args
        every = [*a.posonlyargs, *a.args, *a.kwonlyargs]
        static = any(isinstance(d, ast.Name) and d.id == "staticmethod"
                     for d in node.decorator_list)
        if self.owner and not static and every:
            every[0].arg, every[0].annotation = "self", None
            every = every[1:]
        for argument in [*every, *filter(None, [a.vararg, a.kwarg])]:
            argument.annotation = (
                self.type_of(argument.annotation, result=False)
                if argument.annotation else self.parsed("Any"))
        node.returns = (self.type_of(node.returns, result=True)
                        if node.returns else self.parsed("Any"))


DUNDERS = tensor_dunders()


def make_generator(core, records):
    from nanobind.stubgen import StubGen

    class Generator(StubGen):
        """Also knows the methods that are made of op functions."""

        def put(self, value, name=None, parent=None):
            function = getattr(value, "__wrapped__", None)
            if type(value).__name__ == "OpMethod" and name:
                self.put_method(function, name, parent)
            elif isinstance(value, property) and name and not hasattr(
                    value.fget, "__nb_signature__"):
                self.put_computed(value, name)
            elif isinstance(value, types.FunctionType) and name:
                if name != "__setattr__":  # or type checkers let one set anything
                    self.put_python(value, name)
            else:
                super().put(value, name, parent)

        def put_method(self, function, name, parent):
            record = records.get(getattr(function, "__name__", ""))
            if hasattr(function, "__nb_signature__"):
                self.put_nb_func(function, name)
                return
            if type(function).__name__ != "OpFunction" or not record:
                self.put_python(function, name)
                return
            parameters, by_keyword, _ = op_parameters(record)
            star = ["*"] if by_keyword else []
            inside = ", ".join(["self", *parameters[1:], *star, *by_keyword])
            self.write_ln(f"def {name}({inside}) -> {result_of(record)}:")
            self.put_body(record["doc"])

        def put_python(self, function, name):
            try:
                found = inspect.signature(function)
            except ValueError:
                found = inspect.signature(lambda self, *args, **kwargs: None)
            plain = (bool, int, float, str, tuple, type(None))
            parameters = [
                p if p.default is p.empty or isinstance(p.default, plain)
                else p.replace(default=...) for p in found.parameters.values()]
            found = found.replace(parameters=parameters)
            self.write_ln(f"def {name}{found}:".replace("=Ellipsis", "=..."))
            self.put_body(function.__doc__)

        def put_computed(self, value, name):
            given = getattr(value.fget, "__annotations__", {}).get("return", "Tensor")
            given = given if isinstance(given, str) else given.__name__
            self.write_ln("@property")
            self.write_ln(f"def {name}(self) -> {given}:")
            self.put_body(value.__doc__)
            if value.fset:
                self.write_ln(f"@{name}.setter")
                self.write_ln(f"def {name}(self, value: object, /) -> None:")
                self.put_body(None)

        def put_body(self, doc):
            self.depth += 1
            if doc:
                self.put_docstr(doc)
            else:
                self.write_ln("...")
            self.depth -= 1
            self.write("\n")

    return Generator(module=core, quiet=True, include_private=True)


def names_defined(tree):
    """What annotations may name: classes, imports, and the types of _typing."""
    found = {"Any", "Axes", "DTypeLike", "Ints", "Iterator", "Sequence", "Shape",
             "TensorLike", "OpFunction", "None", "builtins", "_np"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(a.asname or a.name).split(".")[0] for a in node.names}
    return found


def core_text(core, records):
    records = {r["function"]: r for r in records}
    generator = make_generator(core, records)
    generator.put(core)
    # A docstring may end in a quotation mark.
    tree = ast.parse(re.sub('(?<=[^"])""""$', '" """', generator.get(), flags=re.M))
    tree = Strict(records, names_defined(tree)).visit(tree)
    imports = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))
               and not (isinstance(n, ast.ImportFrom) and n.module == "sluice")]
    rest = [n for n in tree.body
            if not isinstance(n, (ast.Import, ast.ImportFrom))]
    text = "\n\n".join(ast.unparse(n) for n in rest)
    iterator = "from collections.abc import Iterator, Sequence\n"
    return (CORE_HEAD.replace("import builtins\n", "import builtins\n" + iterator) +
            "\n".join(ast.unparse(n) for n in imports) +
            "\nfrom ._typing import Axes, Ints, Shape\n\n" +
            text + "\n" + CORE_TAIL)


def is_public(name):
    ops = importlib.import_module("sluice._ops")
    package = importlib.import_module("sluice")
    return getattr(package, name, None) is getattr(ops, name)


def write(path, text):
    # Left alone when nothing changed: what depends on it stays current.
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    else:
        path.touch()


def main(folder):
    folder = pathlib.Path(folder).resolve()
    sys.path.insert(0, str(folder.parent))
    core = importlib.import_module("sluice._core")
    records = core.op_records()
    write(folder / "_ops.pyi", ops_text(records, is_public))
    write(folder / "_core.pyi", core_text(core, records))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    raise SystemExit(main(sys.argv[1]))
