#!/usr/bin/env python3
"""Writes docs/cpp/api.md from the public headers, to standard output.

    tools/cpp_api_pages.py > docs/cpp/api.md

`make test` does so; a test compares. What <sluice/sluice.h> includes is public, also
through headers that hold nothing but includes. Of each header the page has the text it
opens with and its declarations with their comments, without bodies, private parts and
namespaces of the library's own. The functions of ops are made from the op records:
docs/ops.md has them.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INTERNAL = re.compile(r"(_internal|detail)\b")
# Defined where all else is made of; a reader meets them on every page.
FIRST = ["sluice/tensor/dtype.h", "sluice/tensor/array.h", "sluice/eager/tensor.h",
         "sluice/eager/operand.h", "sluice/eager/literal.h"]

HEAD = """# C++ API

Written from the public headers by `tools/cpp_api_pages.py`; a test compares. A
program includes `<sluice/sluice.h>`, which has all of this, and names the library
`namespace sl = sluice`. The functions of ops, one for each (`sl::matmul`, `sl::relu`),
are written from the op records when the library is built: [ops.md](../ops.md) has the
record of every op with the name of its function.

## Array and Tensor

An `Array` is elements: one type, one shape, a block of memory that copies share. It has
no operators and knows no gradients. Sessions take and give arrays, files hold them,
kernels are written with them.

A `Tensor` is what programs compute with. It is one of two things, and every function
takes both: elements that are there now (imperative: `array()` has them, gradients flow
to it, it may be written in place), or one value of a graph (`symbolic()`: it has
elements only while a session runs a step). `sl::constant(array)` makes a tensor of an
array, `tensor.array()` gives the array of an imperative tensor, and both share the
elements; a graph that is given an array or an imperative tensor keeps a copy, so that
later writes do not change it.

## Types

Operands of different types are brought together as in Python, by one rule
(`sluice/eager/promote.h`): tensors with axes come first, tensors without next, numbers
written in the program last, and a later kind counts only where its numbers are of a
higher one (bool, integers, floats, complex). Within a kind the wider type counts.

| | | |
|---|---|---|
| `i32[3] + i64[3]` | `i64[3]` | the wider |
| `u8[3] + i8[3]` | `i16[3]` | the type that holds both |
| `f16[3] + bf16[3]` | `f32[3]` | |
| `i64[3] * f32[3]` | `f32[3]` | floats count more than integers |
| `f32[3] * f64[]` | `f32[3]` | a tensor without axes gives way |
| `i64[3] * 0.5` | `f32[3]` | a number is of no size |
| `i64[3] / i64[3]` | `f32[3]` | as in Python; `div` and `floor_div` give integers |
| `u8[3] + 300` | refused | the type does not hold it |
| `u8[3] < 300` | `bool[3]` | compared as they are |
"""


def public_headers():
    """Those of sluice.h, in the order of folders, each once."""
    found = []

    def add(path):
        text = (ROOT / "src" / path).read_text(encoding="utf-8")
        inside = re.findall(r'#include "(sluice/[^"]+)"', text)
        rest = re.sub(r"//.*|#.*|\s", "", text)
        # A header that is nothing but a list of others.
        if not rest:
            for other in inside:
                add(other)
        elif path not in found:
            found.append(path)

    top = (ROOT / "include/sluice/sluice.h").read_text(encoding="utf-8")
    for path in FIRST + re.findall(r'#include "(sluice/[^"]+)"', top):
        if path != "sluice/ops.h":  # written by the build
            add(path)
    return found


def end_of(text, at):
    """Behind the bracket that closes the one at `at`."""
    depth = 0
    pairs = {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}
    while at < len(text):
        if text.startswith("//", at):
            at = text.find("\n", at)
            continue
        if text[at] in "\"'":
            quote = text[at]
            at += 1
            while text[at] != quote:
                at += 2 if text[at] == "\\" else 1
        depth += pairs.get(text[at], 0)
        at += 1
        if depth == 0:
            return at
    raise ValueError("a bracket is not closed")


def _has_value(before):
    """Whether what comes before a brace ends in `=`, outside of all brackets: those of
    arguments hold values of their own, also in brackets within them."""
    text = re.sub(r"operator\s*(\(\)|[^\s\w(]+)", "", before)
    count = 1
    while count:
        text, count = re.subn(r"\([^()]*\)|<[^<>()=]*(=[^<>()=]*)?>", "", text)
    return "=" in text


def statements(text):
    """(comment, declaration, body or None) of one scope, in order."""
    at, comment = 0, []
    while at < len(text):
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        line = text[at:line_end].strip()
        if not line or line.startswith("#"):
            while line.endswith("\\"):  # a macro over several lines
                at, line_end = line_end + 1, text.find("\n", line_end + 1)
                line = text[at:line_end].strip()
            comment = comment if line.startswith("#") else []
            at = line_end + 1
            continue
        if line.startswith("//"):
            comment.append(line)
            at = line_end + 1
            continue
        begin = at = at + len(text[at:]) - len(text[at:].lstrip())
        body = None
        label = re.match(r"(public|private|protected):", text[at:])
        if label:
            yield comment, label.group(0), None
            comment, at = [], at + label.end()
            continue
        while at < len(text):
            if text.startswith("//", at):
                at = text.find("\n", at)
            elif text[at] == ";":
                declaration = text[begin:at]
                at += 1
                break
            elif text[at] == "{":
                close = end_of(text, at)
                before = text[begin:at]
                value = _has_value(before)
                if value or text[close : close + 1] in (";", ",", ")"):
                    scope = re.match(
                        r"(template\s*<.*>\s*)?(class|struct|enum|union)\b", before,
                        re.S)
                    if scope and not value:
                        declaration, body = before, text[at + 1 : close - 1]
                        at = close + 1
                        break
                    at = close  # an initial value, which is no body
                    continue
                declaration, body = before, text[at + 1 : close - 1]
                at = close
                break
            elif text[at] in "([":
                at = end_of(text, at)
            elif text[at] in "\"'":
                quote = text[at]
                at += 1
                while text[at] != quote:
                    at += 2 if text[at] == "\\" else 1
                at += 1
            else:
                at += 1
        else:
            return
        rest = re.match(r"[ \t]*//.*", text[at:])
        if rest:
            comment = [*comment, rest.group(0).strip()]
            at += rest.end()
        yield comment, declaration.strip(), body
        comment = []


def one_line(declaration):
    text = re.sub(r"//[^\n]*", "", declaration)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(
        r",?\s*(const )?(std::source_location|Where)\s*&?\s*where\b(?!\()"
        r"( = (std::source_location|Where)::current\(\))?", "", text)
    # Initializers of members.
    text = re.sub(r"(\)(?: const| noexcept)*) : .*$", r"\1", text)
    for word in ("[[nodiscard]] ", "front_internal::"):
        text = text.replace(word, "")
    return text.replace("( ", "(").strip()


def wrapped(text, indent):
    """A declaration in lines of the page's width."""
    lines, rest = [], indent + text + ";"
    while len(rest) > 88:
        cut = rest.rfind(" ", len(indent) + 8, 88)
        if cut < 0:
            break
        lines.append(rest[:cut])
        rest = indent + "    " + rest[cut + 1 :]
    return [*lines, rest]


def hidden(name):
    return bool(INTERNAL.search(name))


def members(body, indent, public):
    lines = []
    for comment, declaration, inner in statements(body):
        if re.fullmatch(r"(public|private|protected):", declaration):
            public = declaration == "public:"
            continue
        short = one_line(declaration)
        skipped = (
            not public or not short or "= delete" in short
            or short.startswith(("friend ", "static_assert"))
            or short.startswith("~") or re.match(r"virtual ~", short)
        )
        if skipped:
            continue
        lines += [indent + line for line in comment]
        scope = re.match(r"(?:template ?<.*> )?(class|struct|enum)\b", short)
        if inner is not None and scope:
            lines += entity(short, inner, scope.group(1), indent)
        else:
            lines += wrapped(short, indent)
    return lines


def entity(short, inner, kind, indent):
    if kind == "enum":
        values = re.sub(r"\s+", " ", re.sub(r"//[^\n]*", "", inner)).strip(" ,")
        return wrapped(f"{short} {{ {values} }}", indent)
    inside = members(inner, indent + "  ", kind == "struct")
    if not inside:
        return wrapped(short, indent)
    return [f"{indent}{short} {{", *inside, f"{indent}}};"]


def declarations(text):
    lines = []
    for comment, declaration, body in statements(text):
        short = one_line(declaration)
        name = re.match(r"(inline )?namespace ([\w:]*)$", short)
        if name:
            if body is not None and not hidden(name.group(2)):
                inside = declarations(body)
                own = name.group(2).removeprefix("sluice").removeprefix("::")
                if own and inside and not name.group(1):
                    inside = [f"// ---- namespace {name.group(2)} ----", *inside]
                lines += inside
            continue
        scope = re.match(r"(?:template ?<.*> )?(class|struct|enum|union)\b", short)
        if body is None and scope and not re.search(r"[({=]", short):
            continue  # said elsewhere
        if not short or hidden(short) or short.startswith(
                ("using namespace", "static_assert", "extern template", "friend ")):
            continue
        if re.match(r"(template ?<.*> )?(requires .* )?(class|struct) \w+<", short):
            continue  # of one type only
        if re.match(r"\w+::|.*\b\w+(<[^>]*>)?::\w+\(", short) and body is not None:
            continue  # a member's body
        if re.match(r"SL_[A-Z_]+\(", short):
            continue
        block = list(comment)
        if body is not None and scope:
            block += entity(short, body, scope.group(1), "")
        else:
            block += wrapped(short, "")
        # A blank line before what has a text of its own.
        lines += [""] if comment and lines and lines[-1] else []
        lines += block
    return lines


def page_of(path):
    text = (ROOT / "src" / path).read_text(encoding="utf-8")
    top, _, rest = text.partition("#pragma once")
    prose = [line[2:].removeprefix(" ") for line in top.strip().splitlines()]
    code = declarations(rest)
    while code and not code[-1]:
        code.pop()
    if not code:
        return []
    # Examples are set off by their spaces; the rest is text.
    words = [f"    {line.strip()}" if line.startswith("  ") and line.strip() else line
             for line in prose]
    return [f"## {path}", "", *words, "", "```cpp", *code, "```", ""]


def main():
    lines = HEAD.splitlines() + [""]
    for path in public_headers():
        lines += page_of(path)
    sys.stdout.write("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
