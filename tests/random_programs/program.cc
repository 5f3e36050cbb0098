#include "tests/random_programs/program.h"

#include "sluice/base/strings.h"

namespace sluice {

namespace {

using Kind = Statement::Kind;

class Writer {
 public:
  Writer(uint64_t seed, bool writes) : random_(seed), writes_(writes) {}

  RandomProgram Write() {
    int count = 3 + Below(6);
    for (int i = 0; i < count; ++i) {
      program_.statements.push_back(One(/*depth=*/0));
    }
    return std::move(program_);
  }

 private:
  // Not std::uniform_int_distribution, which differs between libraries.
  int Below(int n) {
    return static_cast<int>(random_() % static_cast<uint64_t>(n));
  }
  double Number() { return (Below(31) - 15) / 10.0; }
  int Local() { return Below(program_.locals); }
  int New() { return program_.locals++; }

  Statement Pure() {
    static constexpr Kind kKinds[] = {Kind::kUnary, Kind::kBinary,
                                      Kind::kScale};
    Statement s{.kind = kKinds[Below(3)]};
    s.a = Local();
    s.b = Local();
    s.which = Below(4);
    s.number = Number();
    s.to = New();
    return s;
  }

  // What is made inside is not seen outside: its names end with it.
  std::vector<Statement> Body(int depth) {
    int before = program_.locals;
    std::vector<Statement> body;
    int count = 1 + Below(2);
    for (int i = 0; i < count; ++i) {
      bool deeper = depth < 2 && Below(4) == 0;
      body.push_back(deeper ? Control(depth) : Pure());
    }
    program_.locals = before;
    return body;
  }

  Statement Control(int depth) {
    static constexpr Kind kKinds[] = {Kind::kCond, Kind::kWhile, Kind::kFor};
    Statement s{.kind = kKinds[Below(3)]};
    s.a = Local();
    s.number = Number();
    s.which = Below(4);  // how often a kFor runs, at most a kWhile
    if (s.kind == Kind::kCond) {
      s.body = Body(depth + 1);
      s.other = Body(depth + 1);
      s.to = New();
    } else {
      // A loop's value is seen by its body under the name it ends with.
      s.to = New();
      s.body = Body(depth + 1);
    }
    return s;
  }

  Statement One(int depth) {
    int what = Below(writes_ ? 14 : 6);
    if (what < 3) return Pure();
    if (what < 6) return Control(depth);
    static constexpr Kind kKinds[] = {
        Kind::kWithState, Kind::kAlias,    Kind::kDetach,  Kind::kQuiet,
        Kind::kAddInto,   Kind::kCopyInto, Kind::kRowInto, Kind::kState};
    program_.pure = false;
    Statement s{.kind = kKinds[what - 6]};
    if (s.kind == Kind::kCopyInto && Below(2)) s.kind = Kind::kScaleInto;
    s.a = Local();
    s.b = Local();
    s.which = Below(2);
    s.number = Number();
    bool makes = s.kind == Kind::kWithState || s.kind == Kind::kAlias ||
                 s.kind == Kind::kDetach || s.kind == Kind::kQuiet;
    if (makes) s.to = New();
    return s;
  }

  std::mt19937_64 random_;
  bool writes_;
  RandomProgram program_;
};

const char* const kUnaries[] = {"tanh", "sin", "abs", "sigmoid"};
const char* const kBinaries[] = {"add", "sub", "mul", "maximum"};

void Print(const std::vector<Statement>& statements, const std::string& indent,
           std::string& text) {
  for (const Statement& s : statements) {
    std::string to = StrCat("t", s.to), a = StrCat("t", s.a),
                b = StrCat("t", s.b), state = StrCat("s", s.which);
    auto which = static_cast<size_t>(s.which);
    std::string line;
    switch (s.kind) {
      case Kind::kUnary:
        line = StrCat(to, " = ", kUnaries[which], "(", a, ")");
        break;
      case Kind::kBinary:
        line = StrCat(to, " = ", kBinaries[which], "(", a, ", ", b, ")");
        break;
      case Kind::kScale:
        line = StrCat(to, " = ", a, " * 0.5 + ", s.number);
        break;
      case Kind::kWithState:
        line = StrCat(to, " = ", a, " * ", state);
        break;
      case Kind::kAlias:
        line = StrCat(to, " = ", a);
        break;
      case Kind::kDetach:
        line = StrCat(to, " = ", a, ".detach()");
        break;
      case Kind::kQuiet:
        line = StrCat("{ NoGrad off; ", to, " = ", a, " * ", s.number, "; }");
        break;
      case Kind::kAddInto:
        line = StrCat(a, ".add_(", b, ")");
        break;
      case Kind::kScaleInto:
        line = StrCat(a, ".mul_(", s.number, ")");
        break;
      case Kind::kCopyInto:
        line = StrCat(a, ".copy_(", b, ")");
        break;
      case Kind::kRowInto:
        line = StrCat(a, "[0].add_(", s.number, ")");
        break;
      case Kind::kState:
        line = StrCat("{ NoGrad off; ", state, ".add_(mean of the rows of ", a,
                      " * ", s.number, "); }");
        break;
      case Kind::kCond:
        line = StrCat(to, " = sum(", a, ") > ", s.number, ":");
        break;
      case Kind::kWhile:
        line = StrCat(to, " = ", a, "; while sum(abs(", to, ")) > ", s.number,
                      ", at most ", s.which, " times: ", to, " =");
        break;
      case Kind::kFor:
        line = StrCat(to, " = ", a, "; ", s.which, " times: ", to, " =");
        break;
    }
    text += StrCat(indent, line, "\n");
    Print(s.body, indent + "    ", text);
    if (s.kind == Kind::kCond) {
      text += indent + "  else:\n";
      Print(s.other, indent + "    ", text);
    }
  }
}

}  // namespace

RandomProgram RandomProgram::Of(uint64_t seed, bool writes) {
  return Writer(seed, writes).Write();
}

std::string RandomProgram::ToString() const {
  std::string text;
  Print(statements, "  ", text);
  return text;
}

}  // namespace sluice
