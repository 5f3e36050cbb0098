#!/usr/bin/env python3
"""Writes docs/python/api.md from op records and docstrings, to standard output.

    PYTHONPATH=build/release/python tools/python_api_pages.py > docs/python/api.md

`make test` does so; a test compares.
"""

import importlib
import inspect
import pathlib
import pkgutil
import re
import sys

HEAD = """# Python API

Written from the op records and docstrings by `tools/python_api_pages.py`; a test
compares. `help(sl.matmul)` says more about each; [ops.md](../ops.md) has the record
of every op. Where there is `axis=`, `dim=` means the same, and `keepdim=` the same
as `keepdims=`. Ops also take `name=`, a name for messages and graphs.
"""
# In the order one learns them.
FIRST = ["sluice", "sluice.nn", "sluice.nn.functional", "sluice.optim",
         "sluice.data", "sluice.io"]


def modules(sluice):
    folder = str(pathlib.Path(sluice.__file__).parent)
    names = ["sluice"]
    for found in pkgutil.walk_packages([folder], "sluice."):
        # A library that stands beside the extension is no module.
        if found.name.startswith("sluice.lib"):
            continue
        if not any(part.startswith("_") for part in found.name.split(".")):
            names.append(found.name)
    names.sort(key=lambda n: (FIRST.index(n) if n in FIRST else len(FIRST), n))
    return [importlib.import_module(name) for name in names]


def public_names(module):
    names = getattr(module, "__all__", None) or [
        n for n in dir(module) if not n.startswith("_")]
    found = []
    for name in sorted(set(names), key=lambda n: (n.lower(), n)):
        value = getattr(module, name)
        if not inspect.ismodule(value) and not name.startswith("_"):
            found.append((name, value))
    return found


def simple(text):
    """An annotation or default without what only a compiler needs."""
    text = re.sub(r"\b(builtins|typing|collections\.abc|sluice(\._\w+)*)\.", "", text)
    text = re.sub(r"<object object at 0x[0-9a-f]+>", "...", text)
    return re.sub(r"<(?:function|class|method) '?([\w.]+)[^>]*>", r"\1", text)


def of_record(record):
    """The arguments of an op's function, as one writes them."""
    parts = [i["name"] + ("=()" if i["list"] and record["inputs"][-1] is i and
                          len(record["inputs"]) > 1 else "")
             for i in record["inputs"]]
    for attr in record["attrs"]:
        value = "" if attr["required"] else f"={attr['default']!r}"
        parts.append(attr["name"] + value)
    return f"({', '.join(parts)})"


def of_signature(value):
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    parts = [p.replace(annotation=inspect.Parameter.empty)
             for p in found.parameters.values() if p.name not in ("self", "cls")]
    return simple(str(inspect.Signature(parts)))


def of_nanobind(value):
    """From the signature nanobind keeps: "def f(x: int = 3) -> Tensor"."""
    kept = getattr(value, "__nb_signature__", None)
    if not kept:
        return None
    text = re.sub(r"^def \w+|\s*->.*$", "", str(kept[0][0]), flags=re.S)
    text = re.sub(r":\s*(?:[^,()=\[\]]|\[[^\]]*(?:\[[^\]]*\])*[^\]]*\])+", "", text)
    text = re.sub(r"\s*=\s*\\(\d+)", lambda m: f"={kept[0][2][int(m[1])]!r}", text)
    return re.sub(r"\bself, |\bself\b", "", text)


def arguments(name, value, records):
    if type(value).__name__ == "OpFunction":
        return of_record(records[value.__name__])
    if inspect.isclass(value):
        if issubclass(value, BaseException):
            return ""
        return of_nanobind(value.__init__) or of_signature(value) or "(...)"
    if callable(value):
        return of_nanobind(value) or of_signature(value) or "(...)"
    return ""


def first_sentence(value):
    kept = getattr(value, "__nb_signature__", None)
    doc = kept[0][1] if kept else inspect.getdoc(value)
    text = (doc or "").strip().split("\n\n")[0]
    text = " ".join(text.split())
    end = re.search(r"\.(?= [A-Z`\[(])", text)
    return text[:end.end()] if end else text


def methods(value):
    names = [n for n in vars(value) if not n.startswith("_")]
    return ", ".join(f"`{n}`" for n in sorted(names))


def entry(name, value, records):
    described = inspect.isclass(value) or callable(value)
    doc = first_sentence(value) if described else ""
    line = f"- `{name}{arguments(name, value, records)}`" + (f": {doc}" if doc else "")
    if inspect.isclass(value) and (inside := methods(value)):
        line += f"\n  Members: {inside}."
    return line + "\n"


def page(sluice):
    records = {r["function"]: r for r in sluice._core.op_records()}
    text = HEAD
    for module in modules(sluice):
        text += f"\n## {module.__name__}\n\n{first_sentence(module)}\n\n"
        rest = []
        for name, value in public_names(module):
            # Constants such as sl.float32 and sl.pi share one line.
            if inspect.isclass(value) or callable(value):
                text += entry(name, value, records)
            else:
                rest.append(f"`{name}`")
        if rest:
            text += f"- Values: {', '.join(rest)}.\n"
    return text


def main():
    sluice = importlib.import_module("sluice")
    sys.stdout.write(page(sluice))


if __name__ == "__main__":
    main()
