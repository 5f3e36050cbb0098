// A loop gives, to the bit, what its body gives written out as often as it
// runs: under every executor, with any bound on parallel iterations, on one
// thread and on two.
#include <functional>
#include <tuple>

#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

using State = std::vector<Tensor>;
using Body = std::function<State(const Tensor& i, const State&)>;

struct Program {
  const char* name;
  std::vector<Array> start;
  Body body;
};

void PrintTo(const Program& p, std::ostream* out) { *out << p.name; }

// Numbers that round when they are added up.
Array Numbers(const Shape& shape, float scale = 1) {
  Array a = *Array::Make(DType::kF32, shape);
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    a.mutable_data<float>()[i] =
        scale * static_cast<float>((i * 37 + 11) % 101 - 50) / 67;
  }
  return a;
}

State Unrolled(const Program& p, State state, int64_t trips) {
  for (int64_t i = 0; i < trips; ++i) {
    state = p.body(constant(i), state);
  }
  return state;
}

State Looped(const Program& p, const State& state, const Operand& trips,
             int64_t parallel) {
  LoopOptions options;
  options.parallel_iterations = parallel;
  return for_loop(
      trips,
      [&](const Tensor& i, const State& carried) { return p.body(i, carried); },
      state, options);
}

void ExpectSame(const std::vector<Array>& got, const std::vector<Array>& want,
                const std::string& how) {
  ASSERT_EQ(got.size(), want.size()) << how;
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_TRUE(got[i].BitEquals(want[i]))
        << how << ", value " << i << ": got " << got[i].ToString()
        << "\nwanted " << want[i].ToString();
  }
}

std::vector<Array> Arrays(const State& state) {
  std::vector<Array> arrays;
  for (const Tensor& t : state) arrays.push_back(t.array());
  return arrays;
}

State Constants(const std::vector<Array>& arrays) {
  State state;
  for (const Array& a : arrays) state.push_back(constant(a));
  return state;
}

class LoopAndUnrolled : public testing::TestWithParam<Program> {};

TEST_P(LoopAndUnrolled, AreEqualToTheBit) {
  const Program& p = GetParam();
  for (int64_t trips : {0, 1, 2, 7}) {
    SCOPED_TRACE(trips);
    std::vector<Array> want = Arrays(Unrolled(p, Constants(p.start), trips));
    ExpectSame(Arrays(Looped(p, Constants(p.start), trips, 10)), want,
               "imperative loop");
    for (int threads : {1, 2}) {
      for (int64_t parallel : {1, 4, 32}) {
        Graph graph;
        GraphScope scope(graph);
        State start;
        Feeds feeds;
        for (const Array& a : p.start) {
          start.push_back(placeholder(a.dtype(), a.shape()));
          feeds.push_back({start.back(), a});
        }
        Tensor n = placeholder(DType::kI64, Shape());
        feeds.push_back({n, Array::Scalar<int64_t>(trips)});
        State loop = Looped(p, start, n, parallel);
        State straight = Unrolled(p, start, trips);
        Session session(graph, {.threads = threads});
        for (ExecutorChoice executor :
             {ExecutorChoice::kAuto, ExecutorChoice::kTape,
              ExecutorChoice::kTokens}) {
          std::string how = "threads " + std::to_string(threads) +
                            ", parallel " + std::to_string(parallel) +
                            ", executor " +
                            std::to_string(static_cast<int>(executor));
          RunOptions options;
          options.executor = executor;
          std::vector<Fetch> fetches(loop.begin(), loop.end());
          ExpectSame(session.run(fetches, feeds, {}, options), want, how);
          if (parallel > 1) continue;
          std::vector<Fetch> plain(straight.begin(), straight.end());
          ExpectSame(session.run(plain, feeds, {}, options), want,
                     how + ", unrolled");
        }
      }
    }
  }
}

State Newton(const Tensor&, const State& s) {
  return {0.5f * (s[0] + s[1] / s[0]), s[1]};
}

State Cell(const Tensor&, const State& s) {
  Tensor h = tanh(matmul(s[0], s[2]) + s[1]);
  return {h, s[1] * 0.75f + h, s[2]};
}

State Branches(const Tensor& i, const State& s) {
  Tensor even = equal(bitwise_and(i, int64_t{1}), int64_t{0});
  Tensor next =
      cond(even, [&] { return s[0] * 1.1f; }, [&] { return s[0] - s[1]; });
  return {next, s[1] + cast(i, DType::kF32)};
}

State Nested(const Tensor& i, const State& s) {
  Tensor inner = for_loop(
      i,
      [&](const Tensor& j, const Tensor& x) {
        return sin(x) + cast(j, DType::kF32) * s[1];
      },
      s[0]);
  return {inner, s[1] * 0.9f};
}

State Growing(const Tensor&, const State& s) {
  return {concat({s[0], reshape(sum(s[0]), {1})}), s[1] + sum(s[0])};
}

// Two values that change places, one that is replaced by a constant.
State Swapping(const Tensor&, const State& s) {
  return {s[1], s[0] + 0.1f, constant(Numbers({}, 0.3f))};
}

INSTANTIATE_TEST_SUITE_P(
    Programs, LoopAndUnrolled,
    testing::Values(
        Program{"newton", {Array::Scalar(1.0f), Array::Scalar(2.0f)}, Newton},
        Program{"cell",
                {Numbers({3, 5}), Numbers({3, 5}), Numbers({5, 5}, 0.6f)},
                Cell},
        Program{"branches", {Numbers({4}), Numbers({4}, 0.1f)}, Branches},
        Program{"nested", {Numbers({2}), Numbers({2}, 0.2f)}, Nested},
        Program{"growing", {Numbers({2}), Numbers({})}, Growing},
        Program{"swapping",
                {Numbers({3}), Numbers({3}, 2), Numbers({})},
                Swapping}),
    [](const auto& info) { return info.param.name; });

// What a loop does to a variable, and reads of it, in program order.
TEST(LoopAndUnrolledState, AreEqualToTheBit) {
  for (int64_t trips : {0, 1, 5}) {
    for (ExecutorChoice executor :
         {ExecutorChoice::kAuto, ExecutorChoice::kTape,
          ExecutorChoice::kTokens}) {
      std::vector<std::vector<Array>> seen;
      for (bool looped : {false, true}) {
        Graph graph;
        GraphScope scope(graph);
        Variable v = variable(Numbers({3}), "v");
        Program p{"state", {}, [&](const Tensor& i, const State& s) -> State {
                    Tensor before = v.read();
                    v.assign_add(before * 0.3f + cast(i, DType::kF32));
                    return {s[0] + before, s[0] * v.read()};
                  }};
        State start = Constants({Numbers({3}), Numbers({3})});
        Operation init = initialize_variables(graph);
        State out;
        if (looped) {
          out = Looped(p, start, trips, 4);
        } else {
          // Outside of loops nothing runs that is not asked for.
          std::vector<Operation> done;
          State state = start;
          for (int64_t i = 0; i < trips; ++i) {
            Tensor before = v.read();
            done.push_back(
                v.assign_add(before * 0.3f + cast(constant(i), DType::kF32)));
            ControlScope after(done);
            state = {state[0] + before, state[0] * v.read()};
          }
          out = state;
        }
        Session session(graph, {.threads = 2});
        session.run(init);
        RunOptions options;
        options.executor = executor;
        std::vector<Fetch> fetches(out.begin(), out.end());
        std::vector<Array> results = session.run(fetches, {}, {}, options);
        results.push_back(session.run(v.read()));
        seen.push_back(results);
      }
      ExpectSame(seen[1], seen[0], "state");
    }
  }
}

}  // namespace
}  // namespace sluice
