#!/usr/bin/env python3
"""Prints figures of the code base: sizes, functions, likeness, names, seconds.

  tools/house.py              the figures (`make house`)
  tools/house.py --verbose    also where: op names by file and line, all pairs
  tools/house.py --self-test  checks this program on planted code

How they are found:

- Lines are those of the files, blank ones and comments among them. Tests are
  *_test.cc, *_test_util.*, tests/ and python/tests.
- Functions of C++ are those of tools/cpp_scan.py, which matches braces; of Python
  those of `ast`. Both without tests. A function is as long as its first to its last
  line.
- Pairs that are alike: names become one token and numbers another, comments and
  literals go, and the sets of all runs of 10 tokens are compared. A pair has 0.9 or
  more of them in common (intersection by union) for functions of at least 60 tokens,
  0.8 for files of at least 150.
- Op names: as tools/check_op_names.py finds them, compared or called. Ops are those
  of `sluice info --ops` in build/release, and of SL_OP in the sources.
- Public functions: declarations with parentheses in docs/cpp/api.md, entries of
  docs/python/api.md; tests keep both pages current.
- Seconds: of the last build of each file in build/release/.ninja_log (a compiler
  cache makes them less), and of tests by build/release/Testing.
"""

import ast
import bisect
import collections
import pathlib
import re
import statistics
import subprocess
import sys

import check_op_names
import cpp_scan

ROOT = pathlib.Path(__file__).resolve().parent.parent
CPP = {".h", ".cc", ".cu", ".cuh", ".inc"}
TOPS = ("apps", "benchmarks", "cmake", "examples", "include", "python", "src",
        "tests", "tools")
TEST = check_op_names.TEST


def folder_of(name):
    """The part a file is counted in: src/sluice/x, python/x, else its top."""
    parts = name.split("/")
    depth = 3 if name.startswith("src/sluice/") else (
        2 if parts[0] == "python" else 1)
    return "/".join(parts[:min(depth, len(parts) - 1)])


def read_tree(root):
    """{name: text} of all sources."""
    files = {}
    for top in TOPS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in CPP | {".py", ".cmake", ".sh"} and path.is_file():
                files[path.relative_to(root).as_posix()] = path.read_text(
                    encoding="utf-8", errors="replace")
    return files


def python_functions(text):
    """[(name, first line, last line)]."""
    return [(node.name, node.lineno, node.end_lineno)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


class House:
    """The files, and what was found in them."""

    def __init__(self, files, ops=()):
        self.files = files
        self.lines = {name: text.count("\n") for name, text in files.items()}
        self.functions = {"C++": [], "Python": []}  # (lines, name:line function)
        self.alike = {"functions": cpp_scan.Alike(60, 0.9),
                      "files": cpp_scan.Alike(150, 0.8)}
        self.ops = check_op_names.registered(files) | set(ops)
        self.op_names = []  # (folder, "compared" or "called", where, op)
        for name, text in files.items():
            if TEST.search(name):
                continue
            if pathlib.PurePath(name).suffix in CPP:
                self._look_at_cpp(name, text)
            elif name.endswith(".py"):
                self.functions["Python"] += [
                    (last - first + 1, f"{name}:{first} {function}")
                    for function, first, last in python_functions(text)]

    def _look_at_cpp(self, name, text):
        code = cpp_scan.code_of(text)
        offsets, tokens = cpp_scan.tokens_of(code)
        self.alike["files"].add(name, tokens)
        for f in cpp_scan.functions_of(code):
            where = f"{name}:{f.first} {f.name}"
            self.functions["C++"].append((f.last - f.first + 1, where))
            run = slice(bisect.bisect_left(offsets, f.begin),
                        bisect.bisect_left(offsets, f.end))
            self.alike["functions"].add(where, tokens[run])
        if check_op_names.is_above_ops(name):
            self.op_names += [
                (folder_of(name), found.kind, f"{name}:{found.line}", found.op)
                for found in check_op_names.names_in(name, text, code, self.ops)]


def build_seconds(log):
    """{folder or program: seconds} of a .ninja_log; the last line of an output
    counts."""
    took = {}
    for line in log.splitlines():
        fields = line.split("\t")
        if len(fields) == 5:
            took[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    parts = collections.Counter()
    for output, seconds in took.items():
        source = re.search(r"\.dir/(.+)\.o$", output)
        if source and not source.group(1).startswith(
                ("..", "CMakeFiles", "build")):
            name = source.group(1)
            parts["tests" if TEST.search(name) else folder_of(name)] += seconds
        else:
            parts["headers, generated files, linking"] += seconds
    return parts


def test_seconds(data):
    """{test: seconds} of CTestCostData.txt."""
    rows = (line.split() for line in data.split("---")[0].splitlines())
    return {row[0]: float(row[2]) for row in rows if len(row) == 3}


def public_functions(cpp_page, python_page):
    """(of C++, of Python)."""
    cpp = "\n".join(re.findall(r"```cpp\n(.*?)```", cpp_page, re.S))
    declared = [part for part in re.split("[;{}]", re.sub(r"//.*", "", cpp))
                if "(" in part]
    members = sum(len(re.findall("`", line)) // 2
                  for line in re.findall(r"^  Members: (.*)", python_page, re.M))
    return len(declared), len(
        re.findall(r"^- `\w+\(", python_page, re.M)) + members


def figures_of(lengths):
    """Median, 99th percentile and most, as text."""
    if not lengths:
        return "none"
    lengths = sorted(lengths)
    return (f"median {statistics.median(lengths):g}, 99 % at most "
            f"{lengths[int(0.99 * (len(lengths) - 1))]}, most {lengths[-1]}")


def table(rows, widths):
    for row in rows:
        cells = [str(c).rjust(w) if w > 0 else str(c).ljust(-w)
                 for c, w in zip(row, widths)]
        print("  " + "  ".join(cells).rstrip())


def print_sizes(house):
    parts = collections.defaultdict(list)
    for name, lines in house.lines.items():
        parts[folder_of(name)].append((lines, name))
    print("files and lines")
    rows = [("folder", "files", "lines", "tests", "median", "longest")]
    for folder, files in sorted(parts.items()):
        tests = sum(n for n, name in files if TEST.search(name))
        most, longest = max(files)
        rows.append((folder, len(files), sum(n for n, _ in files), tests,
                     f"{statistics.median(n for n, _ in files):g}",
                     f"{most} {longest.removeprefix(folder + '/')}"))
    total = list(house.lines.values())
    rows.append(("all", len(total), sum(total),
                 sum(n for name, n in house.lines.items() if TEST.search(name)),
                 f"{statistics.median(total):g}", max(total)))
    table(rows, (-22, 6, 7, 7, 6, -1))


def print_functions(house):
    for language, functions in house.functions.items():
        print(f"functions of {language}: {len(functions)}; "
              f"lines: {figures_of([n for n, _ in functions])}")
        table(sorted(functions, reverse=True)[:5], (5, -1))


def print_pairs(house, verbose):
    for kind, alike in house.alike.items():
        pairs = alike.pairs()
        print(f"{kind} alike: {len(pairs)} pairs at {alike.threshold} and more, "
              f"of {len(alike.names)} with {alike.least} tokens and more")
        table([(f"{a:.2f}", x, y) for a, x, y in (pairs if verbose else pairs[:5])],
              (4, -1, -1))


def print_op_names(house, verbose):
    found = house.op_names
    print(f"op names above op/: {len(found)}, of {len(house.ops)} ops")
    counts = collections.Counter((folder, kind) for folder, kind, _, _ in found)
    rows = [("folder", "compared", "called")] if found else []
    for folder in sorted({folder for folder, _ in counts}):
        rows.append((folder, counts[folder, "compared"], counts[folder, "called"]))
    table(rows, (-22, 8, 6))
    if verbose:
        table([(where, kind, op) for _, kind, where, op in found], (-1, -1, -1))


def print_seconds(root):
    log = root / "build/release/.ninja_log"
    if log.exists():
        parts = build_seconds(log.read_text())
        print(f"build seconds, one core: {sum(parts.values()):.0f}")
        table([(f"{s:.0f}", part) for part, s in parts.most_common(12)], (6, -1))
    costs = root / "build/release/Testing/Temporary/CTestCostData.txt"
    if costs.exists():
        tests = test_seconds(costs.read_text())
        print(f"test seconds, one core: {sum(tests.values()):.0f} in "
              f"{len(tests)} tests")
        longest = sorted(((s, t) for t, s in tests.items()), reverse=True)[:8]
        table([(f"{s:.1f}", test) for s, test in longest], (6, -1))


def built_ops(root):
    program = root / "build/release/bin/sluice"
    if not program.exists():
        return []
    done = subprocess.run([program, "info", "--ops"], text=True, capture_output=True)
    return [line.split()[0] for line in done.stdout.splitlines() if line.strip()]


PLANTED = {
    "src/sluice/ops/math/add.cc": "SL_OP(Add)\n    .cpu([](Context& c) {\n"
                                  "      return c;\n    });\n",
    "src/sluice/passes/a.cc": """namespace sluice {
// "Add" in a comment is none, nor is "[Add]" in a literal.
struct A : B {
  A() : x_{1}, y_(2) { Go("[Add]"); }
  int x_ = 1'000;
};
constexpr A kAll[] = {{1}, {2}};
bool IsAdd(const Node& n, Options o = {}) {
  for (;;) { if (n.op == "Add") return true; }
}
auto Make(int i) -> Result<Node> { return Call("Add", R"(})"); }
}  // namespace sluice
""",
    "src/sluice/passes/a_test.cc": "TEST(A, B) {\n  Add(\"Add\");\n}\n",
    "python/sluice/a.py": "def one():\n    return 1\n\n\nclass A:\n"
                          "    def two(self):\n        pass\n",
}
TWINS = "int {}(int n) {{\n" + "".join(
    f"  {{}}.Set({i}, n * {i});\n" for i in range(12)) + "}}\n"


def self_test():
    house = House(PLANTED)
    twins = House({f"src/sluice/nn/{n}.cc": TWINS.format(n, *[n] * 12)
                   for n in ("this_one", "other")})
    cpp = ("```cpp\nint F(int x);\nclass A {\n  A();  // Makes(it).\n"
           "  int x = 1;\n};\n```")
    log = ("# ninja log v5\n0\t1000\t1\tX.dir/src/sluice/nn/a.cc.o\tf\n"
           "0\t2500\t1\tX.dir/src/sluice/nn/a.cc.o\tf\n0\t500\t1\tbin/a\tf\n")
    cases = {
        "functions": ([w.split()[-1] for _, w in house.functions["C++"]],
                      ["lambda", "A", "IsAdd", "Make"]),
        "lengths": ([n for n, _ in house.functions["C++"]], [3, 1, 3, 1]),
        "python": (house.functions["Python"],
                   [(2, "python/sluice/a.py:1 one"), (2, "python/sluice/a.py:6 two")]),
        "op names": ([found[1:] for found in house.op_names],
                     [("compared", "src/sluice/passes/a.cc:9", "Add"),
                      ("called", "src/sluice/passes/a.cc:11", "Add")]),
        "alike": ([p[0] for p in twins.alike["functions"].pairs()], [1.0]),
        "not alike": (house.alike["functions"].pairs(), []),
        "build": (dict(build_seconds(log)),
                  {"src/sluice/nn": 2.5, "headers, generated files, linking": 0.5}),
        "tests": (test_seconds("a_test 3 0.5\nb_test 1 2\n---\na_test\n"),
                  {"a_test": 0.5, "b_test": 2.0}),
        "public": (public_functions(cpp, "- `f(x)`: F.\n- `C()`: C.\n"
                                    "  Members: `a`, `b`.\n"), (2, 4)),
    }
    failed = {name for name, (got, wanted) in cases.items() if got != wanted}
    for name in sorted(failed):
        got, wanted = cases[name]
        print(f"house self-test: {name}: got {got}, wanted {wanted}")
    if not failed:
        print(f"house self-test: {len(cases)} cases ok")
    return 1 if failed else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if arguments not in ([], ["--verbose"]):
        print(__doc__)
        return 2
    verbose = bool(arguments)
    house = House(read_tree(ROOT), built_ops(ROOT))
    print_sizes(house)
    print_functions(house)
    print_pairs(house, verbose)
    print_op_names(house, verbose)
    cpp, python = public_functions(
        *((ROOT / f"docs/{n}/api.md").read_text() for n in ("cpp", "python")))
    print(f"public functions: {cpp} of C++, {python} of Python")
    print_seconds(ROOT)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
