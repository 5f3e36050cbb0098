"""Runs the Python blocks of a documentation page and compares what they print.

The blocks of a page share one namespace and run in order, in a process of their
own and an empty folder. Blocks of `sh` run in that folder, too, with the programs of
the build before all others. A block

    ```text

right behind a block of either is what that prints; where the block raises, its
last lines are the exception. A line `# output: 3` says what the block prints in
all. Functions are found under the page's name and lines: `quick_start.py:17` in a
message is line 17 of quick_start.md.

    python python/tests/doc_page.py --update docs/python/*.md docs/internals/*.md

writes what was printed into the pages.
"""

import ast
import contextlib
import dataclasses
import importlib.util
import io
import json
import linecache
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = ("python", "sh")


@dataclasses.dataclass
class Block:
    """A fenced block: its language, lines, and place in the page."""

    language: str
    first: int  # the line behind the fence, from 0
    lines: list
    expected: "Block | None" = None


def blocks_of(text):
    """All fenced blocks of a page, in order."""
    found, block = [], None
    for number, line in enumerate(text.split("\n")):
        fence = line.startswith("```")
        if block is None and fence:
            block = Block(line[3:].strip(), number + 1, [])
        elif fence:
            found.append(block)
            block = None
        elif block is not None:
            block.lines.append(line)
    if block is not None:
        raise ValueError(f"the block at line {block.first} has no end")
    return found


def programs():
    """The folder of the programs built beside the package that is imported."""
    found = importlib.util.find_spec("sluice").submodule_search_locations[0]
    return pathlib.Path(found).parents[1] / "bin"


def python_blocks(text):
    """The blocks that run, each with the block that shows its output."""
    lines, found = text.split("\n"), []
    every = blocks_of(text)
    for block, after in zip(every, [*every[1:], None]):
        if block.language not in RUN:
            continue
        end = block.first + len(block.lines)
        between = lines[end + 1:after.first - 1] if after else []
        if after and after.language == "text" and not any(between):
            block.expected = after
        found.append(block)
    return found


def run_here(page):
    """Runs the page in this process: what each block printed, or its error."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    blocks = python_blocks(text)
    name = pathlib.Path(page).stem + ".py"
    # The page with all but code blank: line numbers are those of the page.
    code = [""] * len(text.split("\n"))
    for block in blocks:
        if block.language == "python":
            code[block.first:block.first + len(block.lines)] = block.lines
    source = [line + "\n" for line in code]
    linecache.cache[name] = (len("".join(source)), None, source, name)
    namespace = {"__name__": "__main__", "__file__": name}
    results = []
    for block in blocks:
        out, error = io.StringIO(), ""
        with contextlib.redirect_stdout(out):
            try:
                if block.language == "sh":
                    print(run_shell("\n".join(block.lines)), end="")
                else:
                    tree = ast.parse("\n".join(block.lines), name)
                    ast.increment_lineno(tree, block.first)
                    exec(compile(tree, name, "exec"), namespace)
            except Exception as raised:
                error = "\n".join([f"{type(raised).__name__}: {raised}",
                                   *getattr(raised, "__notes__", [])])
        results.append({"line": block.first + 1, "out": out.getvalue(),
                        "error": error})
        if error and block.expected is None:
            break
    return results


def run_shell(commands):
    """What the commands print, errors among it. One that fails ends them."""
    path = f"{programs()}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", commands], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
        # Our programs bring the sanitizer's runtime themselves.
        env=os.environ | {"PATH": path, "LD_PRELOAD": ""})
    if done.returncode != 0:
        raise RuntimeError(f"{done.stdout}exit code {done.returncode}")
    return done.stdout


def run(page):
    """The same in a process of its own and an empty folder."""
    # The folder is another one: relative paths would be lost.
    paths = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, paths)),
        "SLUICE_DATA": str(ROOT / "data")}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-W", "error::DeprecationWarning", __file__, "--run",
             str(page)],
            cwd=folder, text=True, capture_output=True, timeout=300, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"{page}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def problems(page):
    """What a page says and what happens, where they differ."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    blocks = python_blocks(text)
    results = run(page)
    for block, result in zip(blocks, results):
        where = f"{page}:{result['line']}"
        got = (result["out"] + result["error"]).rstrip("\n")
        said = re.findall(r"# output: ?(.*)$", "\n".join(block.lines), re.M)
        if block.expected is not None:
            wanted = "\n".join(block.expected.lines)
        elif result["error"]:
            yield f"{where}: {result['error']}"
            return
        elif said:
            wanted = "\n".join(said)
        else:
            continue
        if got != wanted:
            yield f"{where}: printed\n{got}\nand the page says\n{wanted}"


def updated(page):
    """The page's text with what its blocks print now."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    lines = text.split("\n")
    blocks = python_blocks(text)
    for block, result in reversed(list(zip(blocks, run(page)))):
        shown = block.expected
        if result["error"] and shown is not None:
            print(f"{page}:{result['line']}: shows {result['error']}")
        if shown is not None:
            got = (result["out"] + result["error"]).rstrip("\n").split("\n")
            lines[shown.first:shown.first + len(shown.lines)] = got
        elif result["error"]:
            print(f"{page}:{result['line']}: {result['error']}", file=sys.stderr)
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        real = sys.stdout
        with contextlib.redirect_stdout(io.StringIO()):
            found = run_here(sys.argv[2])
        print(json.dumps(found), file=real)
    else:
        for given in sys.argv[2:]:
            path = pathlib.Path(given).resolve()
            # Twice: lines move when outputs grow.
            for _ in range(2):
                path.write_text(updated(path), encoding="utf-8")
