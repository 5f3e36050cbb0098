"""A small scan of C++ text: what is code, where functions are, what is alike.

No parser: comments, literals and preprocessor lines are blanked, then braces are
matched and the words before each say what it opens. Enough to count and compare;
constructs nobody here writes (K&R, macros that open braces) are not looked for.
"""

import bisect
import collections
import re

_TRIVIA = re.compile(
    r'R"(?P<mark>[^()\\\s]*)\((?:.|\n)*?\)(?P=mark)"'      # raw string
    r"|//(?:\\\n|[^\n])*|/\*(?:.|\n)*?\*/"                # comment
    r'|"(?:\\.|[^"\\\n])*"'                               # string
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'"              # character, not 1'000
    r"|^[ \t]*\#(?:\\\n|[^\n])*", re.M)                   # preprocessor
_NOT_NEWLINE = re.compile(r"[^\n]")


def code_of(text):
    """The text with comments, literals and preprocessor lines blank.

    Every character keeps its place: offsets and lines are those of the text.
    """
    return _TRIVIA.sub(lambda m: _NOT_NEWLINE.sub(" ", m.group()), text)


def string_literals(text):
    """(offset, contents) of the plain string literals that are not in comments."""
    for match in _TRIVIA.finditer(text):
        if match.group().startswith('"'):
            yield match.start(), match.group()[1:-1]


Function = collections.namedtuple("Function", "name first last begin end")

_TYPE = re.compile(r"(?:template\b.*?>\s*)?(?:typedef\s+)?"
                   r"(?:class|struct|union|enum)\b", re.S)
_SCOPE = re.compile(r"(?:inline\s+)?namespace\b|extern\s*$")
_AFTER_PARAMETERS = re.compile(
    r"\)\s*(?:(?:const|noexcept|override|final|mutable|&&?|try)\s*"
    r"|[A-Z][A-Z_]+\([^()]*\)\s*)*(?:->[^;{}()]*)?$")
_LAMBDA = re.compile(r"\[[^\[\];]*\]\s*\([^;{}]*\)[^;{}()]*$")
_NAME = re.compile(r"([~\w:<>]*[\w>]|operator\s*\S+)\s*\(")


def functions_of(code):
    """The functions with bodies in blanked code; lambdas in other functions are
    theirs, those of an initialiser at namespace scope count by themselves."""
    found, stack, head = [], [], 0  # stack: (kind, offset of its head)
    starts = [0] + [m.end() for m in re.finditer("\n", code)]
    inside = 0  # depth of braces within a function
    for match in re.finditer(r"[{};]", code):
        mark, at = match.group(), match.start()
        if inside:
            inside += {"{": 1, "}": -1, ";": 0}[mark]
            if inside == 0:
                begin = stack.pop()[1]
                words = code[begin:at]
                begin += len(words) - len(words.lstrip())
                name = _NAME.search(code, begin, at)
                found.append(Function(
                    name.group(1) if name and code[begin] != "[" else "lambda",
                    bisect.bisect_right(starts, begin),
                    bisect.bisect_right(starts, at), begin, at + 1))
                head = at + 1
        elif mark == ";":
            head = at + 1
        elif mark == "{":
            words = code[head:at].strip()
            if _AFTER_PARAMETERS.search(words):
                own = _LAMBDA.search(code, head, at)
                stack.append(("function", own.start() if own else head))
                inside = 1
            elif _SCOPE.match(words) or _TYPE.match(words):
                stack.append(("scope", head))
                head = at + 1
            else:  # an initialiser: the words before it go on behind it
                stack.append(("values", head))
        elif stack:
            kind, begin = stack.pop()
            head = begin if kind == "values" else at + 1
    return found


_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.']*|[^\s\w]")
_KEYWORDS = frozenset("""
    auto bool break case catch class const constexpr continue default delete do
    double else enum false float for if inline int int32_t int64_t namespace new
    nullptr operator private public return size_t sizeof static static_cast
    struct switch template this throw true try typename uint32_t uint64_t using
    virtual void while""".split())


def tokens_of(code):
    """(offsets, tokens): names become one token, numbers another, so that code
    that differs in names and numbers alone is alike."""
    offsets, tokens = [], []
    for match in _TOKEN.finditer(code):
        word = match.group()
        if word[0].isalpha() or word[0] == "_":
            word = word if word in _KEYWORDS else "name"
        elif word[0].isdigit():
            word = "0"
        offsets.append(match.start())
        tokens.append(word)
    return offsets, tokens


class Alike:
    """Finds pairs of token runs that share most of their shingles.

    A shingle is WIDTH tokens in a row. Two runs of at least `least` tokens are a
    pair when |A and B| / |A or B| of their sets of shingles is `threshold` or more.
    Candidates share one of every eighth shingle that at most 60 runs have.
    """

    WIDTH = 10

    def __init__(self, least, threshold):
        self.least, self.threshold = least, threshold
        self.numbers = {}
        self.names, self.sets = [], []

    def add(self, name, tokens):
        if len(tokens) < self.least:
            return
        ids = [self.numbers.setdefault(t, len(self.numbers) + 1) for t in tokens]
        # Tuples of numbers have the same hash in every process, strings have not.
        shingles = set(map(hash, zip(*(ids[i:] for i in range(self.WIDTH)))))
        self.names.append(name)
        self.sets.append(shingles)

    def pairs(self):
        """[(alikeness, name, name)], most alike first."""
        holders = collections.defaultdict(list)
        sizes = [len(shingles) for shingles in self.sets]
        for run, shingles in enumerate(self.sets):
            for shingle in shingles:
                if not (shingle >> 7) % 8:
                    holders[shingle].append(run)
        candidates = {(a, b) for runs in holders.values() if 1 < len(runs) <= 60
                      for i, a in enumerate(runs) for b in runs[i + 1:]
                      if sizes[a] * self.threshold <= sizes[b]
                      and sizes[b] * self.threshold <= sizes[a]}
        found = []
        for a, b in candidates:
            common = len(self.sets[a] & self.sets[b])
            alike = common / (sizes[a] + sizes[b] - common)
            if alike >= self.threshold:
                found.append((alike, self.names[a], self.names[b]))
        return sorted(found, key=lambda pair: (-pair[0], pair[1], pair[2]))
