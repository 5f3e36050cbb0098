#include "tests/random_programs/interpreter.h"

namespace sluice {

namespace {

using Kind = Statement::Kind;
using Locals = std::vector<Tensor>;

class Interpreter {
 public:
  explicit Interpreter(const ProgramState& state) : state_(state) {}

  // The value of the last statement, with locals that end here.
  Tensor Value(const std::vector<Statement>& body, Locals locals) const {
    for (const Statement& s : body) Run(s, locals);
    return locals[static_cast<size_t>(body.back().to)];
  }

  void Run(const Statement& s, Locals& locals) const {
    auto at = [&](int i) -> Tensor& {
      auto k = static_cast<size_t>(i);
      if (locals.size() <= k) locals.resize(k + 1);
      return locals[k];
    };
    Tensor a = at(s.a), b = at(s.b);
    switch (s.kind) {
      case Kind::kUnary:
        at(s.to) = s.which == 0   ? tanh(a)
                   : s.which == 1 ? sin(a)
                   : s.which == 2 ? abs(a)
                                  : sigmoid(a);
        break;
      case Kind::kBinary:
        at(s.to) = s.which == 0   ? a + b
                   : s.which == 1 ? a - b
                   : s.which == 2 ? a * b
                                  : maximum(a, b);
        break;
      case Kind::kScale:
        at(s.to) = a * 0.5 + s.number;
        break;
      case Kind::kWithState:
        at(s.to) = a * StateAt(s);
        break;
      case Kind::kAlias:
        at(s.to) = a;
        break;
      case Kind::kDetach:
        at(s.to) = a.detach();
        break;
      case Kind::kQuiet: {
        NoGrad off;
        at(s.to) = a * s.number;
        break;
      }
      case Kind::kAddInto:
        a.add_(b);
        break;
      case Kind::kScaleInto:
        a.mul_(s.number);
        break;
      case Kind::kCopyInto:
        a.copy_(b);
        break;
      case Kind::kRowInto:
        a[0].add_(s.number);
        break;
      case Kind::kState: {
        NoGrad off;
        StateAt(s).add_(mean(a, {.axes = {0}}) * s.number);
        break;
      }
      case Kind::kCond:
        at(s.to) = cond(
            sum(a) > s.number, [&] { return Value(s.body, locals); },
            [&] { return Value(s.other, locals); });
        break;
      case Kind::kWhile: {
        at(s.to) = a;
        auto [count, last] = while_loop(
            [&](const Tensor& i, const Tensor& t) {
              return logical_and(i<s.which, sum(abs(t))> s.number);
            },
            [&](const Tensor& i, const Tensor& t) {
              return std::tuple(i + 1, Round(s, locals, t));
            },
            0, a);
        at(s.to) = last;
        break;
      }
      case Kind::kFor:
        at(s.to) = a;
        at(s.to) = for_loop(
            s.which,
            [&](const Tensor&, const Tensor& t) { return Round(s, locals, t); },
            a);
        break;
    }
  }

 private:
  const Tensor& StateAt(const Statement& s) const {
    return state_.tensors[static_cast<size_t>(s.which)];
  }

  Tensor Round(const Statement& s, Locals locals, const Tensor& t) const {
    locals[static_cast<size_t>(s.to)] = t;
    return Value(s.body, std::move(locals));
  }

  const ProgramState& state_;
};

}  // namespace

Tensor Interpret(const RandomProgram& program, const Tensor& argument,
                 const ProgramState& state) {
  Locals locals{argument};
  Interpreter interpreter(state);
  for (const Statement& s : program.statements) interpreter.Run(s, locals);
  return locals.back();
}

}  // namespace sluice
