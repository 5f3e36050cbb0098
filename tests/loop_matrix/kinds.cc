// The kinds of control flow of the matrix, each as loops and branches and
// written out.
#include "tests/loop_matrix/programs.h"

namespace sluice::loop_matrix {

namespace {

Tensors Steps(const Around& a, const Ingredient& with, Tensors s, int n) {
  for (int i = 0; i < n; ++i) s = with.step(a, s);
  return s;
}

// The body is given the number of the iteration as a tensor, and as a number
// when it is written out.
using Body =
    std::function<Tensors(const Tensor& i, int64_t number, const Tensors&)>;
// While i < limit and z is small, which it is; `trips` times when it is written
// out.
Tensors Repeat(const Around& a, const Operand& limit, int64_t trips,
               const Body& body, const Tensors& start) {
  if (a.written_out) {
    Tensors s = start;
    for (int64_t i = 0; i < trips; ++i) s = body(constant(i), i, s);
    return s;
  }
  auto [count, last] = while_loop(
      [&](const Tensor& i, const Tensors& s) {
        return logical_and(i < limit, sum(s[0] * s[0]) < 1e6);
      },
      [&](const Tensor& i, const Tensors& s) {
        return std::tuple(i + int64_t{1}, body(i, 0, s));
      },
      int64_t{0}, start, {.save = a.save});
  return last;
}

Tensors Choose(const Around& a, const Tensor& pred, bool taken,
               const std::function<Tensors()>& yes,
               const std::function<Tensors()>& no) {
  if (a.written_out) return taken ? yes() : no();
  return cond(pred, yes, no);
}

// Both branches step, one of them twice and with what was there before.
Tensors Conditional(const Around& a, const Ingredient& with, const Tensors& s) {
  return Choose(
      a, sum(a.x) > 0.0, a.positive,
      [&] {
        Tensors next = Steps(a, with, s, 2);
        next[0] = next[0] * s[0];
        return next;
      },
      [&] { return with.step(a, s); });
}

// As long as a sum that every step adds to is small: three times.
Tensors Loop(const Around& a, const Ingredient& with, const Tensors& s) {
  if (a.written_out) return Steps(a, with, s, 3);
  auto [energy, last] =
      while_loop([&](const Tensor& e, const Tensors&) { return e < 2.5; },
                 [&](const Tensor& e, const Tensors& now) {
                   return std::tuple(e + 1.0 + 0.01 * tanh(sum(now[0])),
                                     with.step(a, now));
                 },
                 constant(0.0), s, {.save = a.save});
  Tensors result = last;
  return result;
}

constexpr int64_t kCounts[] = {2, 0, 3};

Tensors Nested(const Around& a, const Ingredient& with, const Tensors& s) {
  Tensor counts = constant({kCounts[0], kCounts[1], kCounts[2]});
  return Repeat(
      a, int64_t{3}, 3,
      [&](const Tensor& i, int64_t number, const Tensors& outer) {
        Tensors next = Repeat(
            a, gather(counts, i), kCounts[number],
            [&](const Tensor&, int64_t, const Tensors& inner) {
              return with.step(a, inner);
            },
            outer);
        next[0] = next[0] * 0.8 + cos(outer[0]) * a.x;
        return next;
      },
      s);
}

// A loop in one branch of a conditional in a loop.
Tensors LoopInBranchInLoop(const Around& a, const Ingredient& with,
                           const Tensors& s) {
  return Repeat(
      a, int64_t{4}, 4,
      [&](const Tensor& i, int64_t number, const Tensors& outer) {
        return Choose(
            a, equal(mod(i, int64_t{2}), int64_t{1}), number % 2 == 1,
            [&] {
              return Repeat(
                  a, i, number,
                  [&](const Tensor&, int64_t, const Tensors& inner) {
                    return with.step(a, inner);
                  },
                  outer);
            },
            [&] {
              Tensors next = with.step(a, outer);
              next[0] = next[0] - 0.3 * outer[0];
              return next;
            });
      },
      s);
}

// Calls itself three times, and does something with what comes back.
Tensors Recursion(const Around& a, const Ingredient& with, const Tensors& s) {
  auto after = [&](Tensors deeper, const Tensors& here) {
    deeper[0] = deeper[0] * 0.9 + sin(here[0]) * a.x;
    return deeper;
  };
  if (a.written_out) {
    std::vector<Tensors> states = {s};
    for (int i = 0; i < 3; ++i) states.push_back(with.step(a, states.back()));
    Tensors result = states[3];
    for (int i = 2; i >= 0; --i)
      result = after(result, states[static_cast<size_t>(i)]);
    return result;
  }
  Recursive<Tensors(Tensor, Tensors)> descend(
      [&](const auto& self, Tensor depth, Tensors now) {
        return cond(
            depth < 1, [&] { return now; },
            [&] { return after(self(depth - 1, with.step(a, now)), now); });
      });
  return descend(constant(3), s);
}

// scan over f64[3,2,1,2] of scan over f64[2,1,2]; what is collected counts too.
Tensors ScanOfScan(const Around& a, const Ingredient& with, const Tensors& s) {
  Tensor numbers =
      constant(Array::Of<double>({3, 2, 1, 1}, {.5, -.2, .1, .3, -.6, .4}));
  Tensor sequences = numbers * a.x;
  auto step = [&](const Tensors& state, const Tensor& x) {
    Tensors next = with.step(a, state);
    next[0] = next[0] + 0.5 * x;
    return std::pair(cos(next[0]), next);
  };
  if (a.written_out) {
    Tensors state = s, outer;
    for (int64_t i = 0; i < 3; ++i) {
      Tensors inner;
      for (int64_t k = 0; k < 2; ++k) {
        auto [kept, next] = step(state, sequences[{i, k}]);
        inner.push_back(kept);
        state = next;
      }
      outer.push_back(stack(inner));
    }
    state[0] = state[0] + sum(stack(outer), {.axes = {0, 1}});
    return state;
  }
  SequenceOptions options;
  options.loop.save = a.save;
  auto [all, last] = scan(
      [&](const Tensors& state, const Tensor& xs) {
        auto [inner, next] = scan(step, state, xs, options);
        return std::pair(Tensor(inner), Tensors(next));
      },
      s, sequences, options);
  Tensors result = last;
  result[0] = result[0] + sum(all, {.axes = {0, 1}});
  return result;
}

}  // namespace

const std::vector<Kind>& Kinds() {
  static const auto* all = new std::vector<Kind>{
      {"cond", Conditional},    {"while", Loop},
      {"nested_while", Nested}, {"while_in_cond_in_while", LoopInBranchInLoop},
      {"recursion", Recursion}, {"scan_of_scan", ScanOfScan},
  };
  return *all;
}

}  // namespace sluice::loop_matrix
