#!/usr/bin/env python3
"""Checks the Python files of the package, its tests, examples and benchmarks.

They compile, have lines of 88 characters at most, no tabs, no spaces at line
ends, and a docstring at their top; the package imports nothing but numpy,
ml_dtypes (inside functions) and the standard library.
"""

import ast
import pathlib
import sys

WIDTH = 88
ROOTS = ("python/sluice", "python/tests", "examples/python", "benchmarks/python")
# Needed nowhere, used where they are: imported inside functions only.
OPTIONAL = {"ml_dtypes", "numpy"}
# Loaded by name alone, by programs that have imported numpy themselves.
COMPAT = "python/sluice/compat/"


def imported(node):
    if isinstance(node, ast.Import):
        return [alias.name.split(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return [node.module.split(".")[0]]
    return []


def type_checking(node):
    test = node.test if isinstance(node, ast.If) else None
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def imports(node, inside=False):
    """(line, package, whether it happens only when a function is called)."""
    for child in ast.iter_child_nodes(node):
        for name in imported(child):
            yield child.lineno, name, inside
        yield from imports(child, inside or type_checking(child) or isinstance(
            child, (ast.FunctionDef, ast.AsyncFunctionDef)))


def check(name, text):
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > WIDTH:
            yield f"{name}:{number}: {len(line)} characters, more than {WIDTH}"
        if "\t" in line or line != line.rstrip():
            yield f"{name}:{number}: a tab, or spaces at the line's end"
    try:
        tree = ast.parse(text, name)
    except SyntaxError as error:
        yield f"{name}:{error.lineno}: {error.msg}"
        return
    if not ast.get_docstring(tree):
        yield f"{name}:1: no docstring says what this file is"
    if not name.startswith("python/sluice/"):
        return
    for line, package, inside in imports(tree):
        if package in sys.stdlib_module_names or package == "sluice":
            continue
        if package not in OPTIONAL:
            yield f"{name}:{line}: imports {package}, which users need not have"
        elif not inside and not name.startswith(COMPAT):
            yield (f"{name}:{line}: imports {package} when it is loaded; do so "
                   "inside functions, or under TYPE_CHECKING")


def main():
    top = pathlib.Path(__file__).resolve().parent.parent
    files = [p for root in ROOTS for p in sorted((top / root).rglob("*.py"))]
    problems = [problem for path in files for problem in check(
        path.relative_to(top).as_posix(), path.read_text(encoding="utf-8"))]
    for problem in problems:
        print(problem)
    print(f"python: {len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
