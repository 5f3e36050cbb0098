#!/usr/bin/env python3
"""Checks that code above op/ asks an op's record and not its name.

  tools/check_op_names.py              checks the tree, prints counts
  tools/check_op_names.py --self-test  checks this program on planted code

An op name is a string literal that equals the name of an op (SL_OP in
src/sluice/ops), in a folder of src/sluice above op/, in op/ itself but for what rules
are written with (rule_*, batch_*, grad_context), or in python/src; tests are free. It
is

- compared, when it stands beside == or !=, is an argument of Is...() or Has...(),
  or is in a table: one that is searched, or three names within one brace. What is true
  of some ops and not of others belongs to their records: a trait, a role
  (op/op_traits.h) or a rule;
- called, in all other places.

Both are errors outside of the files that tools/op_names_allowed.txt names, each
with a reason: "called PATTERN: why". A pattern is a path, in which * stands for
anything. An entry that allows nothing is an error, too.
"""

import bisect
import collections
import fnmatch
import pathlib
import re
import sys

import cpp_scan

ROOT = pathlib.Path(__file__).resolve().parent.parent
ALLOWED = ROOT / "tools/op_names_allowed.txt"
SUFFIXES = {".h", ".cc", ".cu", ".cuh", ".inc"}
BELOW_OPS = {"base", "tensor", "device", "ops", "kernels"}
# Rules are written with these: they call ops.
RULES = re.compile(r"src/sluice/op/(rule_|batch_|grad_context)")
A_TABLE = 3  # names within one brace
TEST = re.compile(r"_test\.cc$|_test_util\.\w+$|^tests/|^python/(tests|fuzz)/")

Found = collections.namedtuple("Found", "path line kind op")

_ASKS = re.compile(r"\b(?:Is|Has)[A-Z]\w*\s*$")
_MACRO = re.compile(r"\b[A-Z][A-Z_]+\s*$")
_TABLE = re.compile(r"\b(?:constexpr|static|const)\s[^;{}()]*"
                    r"\b(?!override|noexcept)(\w+)\s*(?:\[\w*\])?\s*=?\s*$")


def registered(files):
    """The names of the ops that {path: text} defines."""
    ops = set()
    for path, text in files.items():
        if path.startswith("src/sluice/ops/"):
            ops.update(re.findall(r"^SL_OP(?:_OF)?\((\w+)", text, re.M))
    return ops


def is_above_ops(path):
    folder = re.match(r"src/sluice/(\w+)/", path)
    if RULES.match(path):
        return False
    return path.startswith("python/src/") or (
        folder is not None and folder.group(1) not in BELOW_OPS)


def _enclosing(code, brackets, at):
    """Offsets of the brackets that are open at `at`, innermost first."""
    depth = 0
    for i in reversed(brackets[:bisect.bisect_left(brackets, at)]):
        if code[i] in ")}":
            depth += 1
        elif depth:
            depth -= 1
        else:
            yield i


def _is_table(code, before):
    """Whether a brace after `before` opens a table that is searched by name."""
    declared = _TABLE.search(before)
    if not declared:
        return False
    name = declared.group(1)
    indexed = re.search(rf"\b{name}\[[^\]\s]", code)
    return not indexed or re.search(rf"(begin\(|: ){name}\b", code) is not None


def _lists(code, brackets, literals):
    """Offsets of names that stand beside two others in one brace, as {"A", "B", "C"}
    or {{"A", 1}, {"B", 2}, {"C", 3}}."""
    within = collections.defaultdict(list)
    for at, _ in literals:
        for i in _enclosing(code, brackets, at):
            if code[i] == "(":
                break  # an argument of a call
            within[i].append(at)
    return {at for i, names in within.items()
            if len(names) >= A_TABLE and ";" not in code[i:names[-1]] for at in names}


def _is_compared(code, brackets, begin, end):
    if re.search("[!=]=", code[max(0, begin - 4):begin] + code[end:end + 4]):
        return True
    for i in _enclosing(code, brackets, begin):
        before = code[max(0, i - 200):i]
        if code[i] == "{":
            if _is_table(code, before):
                return True
            if re.search(r"[)\w]\s*$", before):
                return False  # the body of a function
        elif not _MACRO.search(before):
            return _ASKS.search(before) is not None
    return False


def names_in(path, text, code, ops):
    """[Found] of one file above op/; `code` is cpp_scan.code_of(text)."""
    literals = [(at, word) for at, word in cpp_scan.string_literals(text)
                if word in ops]
    if not literals:
        return []
    brackets = [m.start() for m in re.finditer(r"[(){}]", code)]
    found = []
    lists = _lists(code, brackets, literals)
    for at, word in literals:
        compared = at in lists or _is_compared(code, brackets, at,
                                               at + len(word) + 2)
        found.append(Found(path, text.count("\n", 0, at) + 1,
                           "compared" if compared else "called", word))
    return found


def scan(files):
    """[Found] of {path: text}."""
    ops = registered(files)
    found = []
    for path, text in sorted(files.items()):
        if is_above_ops(path) and not TEST.search(path):
            found += names_in(path, text, cpp_scan.code_of(text), ops)
    return found


def read_allowed(text):
    """([(kind, pattern, reason)], [message])."""
    entries, messages = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        entry = re.match(r"(called|compared) (\S+): (\S.*)", line)
        if entry:
            entries.append(entry.groups())
        else:
            messages.append(f"{ALLOWED.name}:{number}: wanted "
                            '"called PATTERN: reason" or "compared PATTERN: reason"')
    return entries, messages


def check(found, entries):
    """Messages: names that no entry allows, entries that allow no name."""
    unused = set(entries)
    messages = []
    for f in found:
        allowing = [e for e in entries
                    if e[0] == f.kind and fnmatch.fnmatchcase(f.path, e[1])]
        unused -= set(allowing)
        if not allowing:
            cure = ("ask its record: a trait or op.role" if f.kind == "compared"
                    else "let the op's record say it")
            messages.append(f'{f.path}:{f.line}: "{f.op}" is {f.kind} by name; {cure}')
    return messages + [f"{ALLOWED.name}: {kind} {pattern}: nothing there any more"
                       for kind, pattern, _ in sorted(unused)]


def read_tree(root):
    files = {}
    for top in ("src/sluice", "python/src"):
        for path in (root / top).rglob("*"):
            if path.suffix in SUFFIXES and path.is_file():
                files[path.relative_to(root).as_posix()] = path.read_text(
                    encoding="utf-8", errors="replace")
    return files


# A line of a file above op/, and what is found in it.
OPS = {"src/sluice/ops/math/add.cc": "SL_OP(Add)\n", "src/sluice/ops/math/sub.cc":
       "SL_OP_OF(Sub, Pair<1>)\n    .doc();\n"}
SELF_TEST = [
    ('bool F() { return op.name == "Add"; }', ["compared"]),
    ('bool F() { return "Add" != op.name; }', ["compared"]),
    ('bool F() { if (IsOp(v, "Add") && !IsCall(v, "Sub")) G(); }',
     ["compared", "compared"]),
    ('constexpr std::string_view kOps[] = {"Add", "Sub"};', ["compared", "compared"]),
    ('static const std::set<std::string> kOps{"Add"};', ["compared"]),
    ('constexpr Row kRows[] = {{"Add", 1}, ROW("Sub", 2)};', ["compared", "compared"]),
    ('void F() { Call("Add", {a, b}); }', ["called"]),
    ('Node* F() { return Call(v, op ? "Add" : "Sub", {}); }', ["called", "called"]),
    ('void F() { Change c = {{}, "Add", {x}}; }', ["called"]),
    ('void F() { if (Is(x)) { Call("Add"); } }', ["called"]),
    ('const T& F(int x) const { return Write("Add", {x}); }', ["called"]),
    ('void F() { const Operand in[] = {Call("Add", x), y}; }', ["called"]),
    ('static const char* kOps[] = {"Add"}; void F(int i) { Call(kOps[i]); }',
     ["called"]),
    ('// "Add"\nvoid F() { Log("[Add]", "add"); }', []),
    ('void F() { for (auto op : {"Add", "Sub", "Add"}) m.emplace(op, 1); }',
     ["compared"] * 3),
    ('Map F() { return {{"Add", 1}, {"Sub", 2}, {"Add", 3}}; }', ["compared"] * 3),
    ('void F() { Each({G("Add"), G("Sub"), G("Add")}); }', ["called"] * 3),
    ('void F() { for (auto op : {"Add", "Sub"}) Call(op); }', ["called"] * 2),
]


def self_test():
    failures = 0
    for line, wanted in SELF_TEST:
        for path, there in (("src/sluice/passes/a.cc", wanted),
                            ("python/src/a.cc", wanted),
                            ("src/sluice/op/a.cc", wanted),
                            ("src/sluice/passes/a_test.cc", []),
                            ("src/sluice/op/rule_a.cc", []),
                            ("src/sluice/op/grad_context.h", []),
                            ("src/sluice/kernels/a.cc", [])):
            got = [f.kind for f in scan({**OPS, path: line})]
            if got != there:
                failures += 1
                print(f"op names self-test: {path} with {line}: got {got}, "
                      f"wanted {there}")
    found = [Found("src/sluice/a/b.cc", 1, "called", "Add"),
             Found("src/sluice/c/d.cc", 2, "compared", "Add")]
    entries, wrong = read_allowed("# Why.\ncalled src/sluice/a/*: it makes sums\n"
                                  "compared src/sluice/c/d.cc: a table\n")
    cases = {
        "allowed": (check(found, entries) + wrong, 0),
        "not allowed": (check(found, entries[:1]), 1),
        "the other kind": (check(found[:1], [("compared", "*", "all")]), 2),
        "unused": (check(found[:1], entries), 1),
        "no reason": (read_allowed("called src/sluice/a:\n")[1], 1),
    }
    for name, (messages, count) in cases.items():
        if len(messages) != count:
            failures += 1
            print(f"op names self-test: {name}: got {messages}")
    if not failures:
        print(f"op names self-test: {len(SELF_TEST) + len(cases)} cases ok")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if arguments:
        print(__doc__)
        return 2
    files = read_tree(ROOT)
    found = scan(files)
    entries, messages = read_allowed(ALLOWED.read_text())
    messages += check(found, entries)
    for message in messages:
        print(message)
    kinds = collections.Counter(f.kind for f in found)
    print(f"op names above op/: {kinds['compared']} compared, {kinds['called']} "
          f"called, {len(messages)} violations")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
