// The primitives by hand: Switch, Merge, Enter, Exit, NextIteration, LoopCond,
// ControlTrigger. What is regular becomes a branch or a loop again before it
// runs, what is not runs as it is; nobody can tell.
#include "sluice/front/raw_control_flow.h"
#include "tests/conformance/conformance_test_util.h"

namespace sluice {
namespace {

Tensor Inside(const Operand& x, const char* frame) {
  return raw::enter(x, frame, {.constant = true});
}

// while (i < n) { x = body(x); ++i }. All that enters comes from where n is: a
// constant would come from outside of every loop.
Tensor RawLoop(const char* frame, const Tensor& n, const Tensor& x,
               const std::function<Tensor(Tensor)>& body) {
  Tensor zero = n - n, one = ones_like(n);
  raw::Merged i = raw::loop_merge(raw::enter(zero, frame));
  raw::Merged v = raw::loop_merge(raw::enter(x, frame));
  Tensor p = raw::loop_cond(i.value < Inside(n, frame));
  auto [i_done, i_go] = raw::switch_(i.value, p);
  auto [v_done, v_go] = raw::switch_(v.value, p);
  raw::set_next(i.value, raw::next_iteration(i_go + Inside(one, frame)));
  raw::set_next(v.value, raw::next_iteration(body(v_go)));
  return raw::exit(v_done);
}

TEST(RawPrimitives, InAndOutOfAFrame) {
  Fn f = [](const Tensors& x) -> Tensors {
    Tensor a = raw::enter(x[0], "f"), b = Inside(x[1], "f");
    return {raw::exit(a * b + a)};
  };
  EXPECT_EQ(Elements<float>(EveryGraphWay(f, {F({1, 2}), F({10, 20})})[0]),
            (std::vector<float>{11, 42}));
}

TEST(RawPrimitives, ValuesOfEveryTypeGoThrough) {
  for (DType dtype : {DType::kBool, DType::kI8, DType::kI16, DType::kI32,
                      DType::kI64, DType::kU8, DType::kF16, DType::kBF16,
                      DType::kF32, DType::kF64, DType::kString, DType::kC64}) {
    SCOPED_TRACE(DTypeName(dtype));
    Fn f = [](const Tensors& x) -> Tensors {
      Tensor in = raw::enter(x[1], "f");
      auto [no, yes] = raw::switch_(in, raw::enter(x[0], "f"));
      raw::Merged m = raw::merge({no, yes});
      return {raw::exit(m.value), raw::exit(m.index)};
    };
    for (bool p : {false, true}) {
      std::vector<Array> out =
          EveryGraphWay(f, {B(p), Array::Zeros(dtype, {2})});
      EXPECT_EQ(out[0].dtype(), dtype);
      EXPECT_EQ(Item<int32_t>(out[1]), p ? 1 : 0);
    }
  }
}

TEST(RawPrimitives, MergeTakesWhatIsAliveAndSaysWhich) {
  // Four ends, one of them alive.
  Fn f = [](const Tensors& x) -> Tensors {
    auto [lo, hi] = raw::switch_(x[2], x[0]);
    auto [a, b] = raw::switch_(lo, x[1]);
    auto [c, d] = raw::switch_(hi, x[1]);
    raw::Merged m = raw::merge({a * 1.0f, b * 2.0f, c * 3.0f, d * 4.0f});
    return {m.value, m.index};
  };
  for (int k = 0; k < 4; ++k) {
    std::vector<Array> out = EveryGraphWay(f, {B(k & 2), B(k & 1), F(10)});
    EXPECT_EQ(Item(out[0]), static_cast<float>(10 * (k + 1)));
    EXPECT_EQ(Item<int32_t>(out[1]), k);
  }
}

TEST(RawPrimitives, ALoopOfNoOneAndManyIterations) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {RawLoop("f", x[0], x[1],
                    [&](Tensor v) { return v * Inside(x[2], "f"); })};
  };
  for (int64_t n : {0, 1, 10}) {
    EXPECT_EQ(Item(EveryGraphWay(f, {I(n), F(1), F(2)})[0]),
              static_cast<float>(1 << n));
  }
}

TEST(RawPrimitives, ALoopInALoop) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {RawLoop("outer", x[0], x[1], [&](Tensor v) {
      Tensor n = Inside(x[0], "outer");
      Tensor by = Inside(x[2], "outer");
      return RawLoop("inner", n, v,
                     [&](Tensor w) { return w + Inside(by, "inner"); });
    })};
  };
  EXPECT_EQ(Item(EveryGraphWay(f, {I(0), F(1), F(2)})[0]), 1);
  EXPECT_EQ(Item(EveryGraphWay(f, {I(5), F(1), F(2)})[0]), 51);
}

TEST(RawPrimitives, AConditionalInALoop) {
  // Collatz, a number of steps.
  Fn f = [](const Tensors& x) -> Tensors {
    return {RawLoop("f", x[0], x[1], [&](Tensor v) {
      Tensor two = Inside(int64_t{2}, "f"), three = Inside(int64_t{3}, "f");
      Tensor one = Inside(int64_t{1}, "f"), zero = Inside(int64_t{0}, "f");
      auto [odd, even] = raw::switch_(v, equal(mod(v, two), zero));
      auto [three_odd, three_even] =
          raw::switch_(three, equal(mod(v, two), zero));
      (void)three_even;
      Tensor up = odd * three_odd + one;
      return raw::merge({up, floor_div(even, two)}).value;
    })};
  };
  int64_t want = 27;
  for (int i = 0; i < 20; ++i) want = want % 2 ? 3 * want + 1 : want / 2;
  EXPECT_EQ(Item<int64_t>(EveryGraphWay(f, {I(20), I(27)})[0]), want);
}

TEST(RawPrimitives, ALoopOnAnUntakenBranchRunsNotOnce) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto [no, yes] = raw::switch_(x[1], x[0]);
    auto [n_no, n_yes] = raw::switch_(x[2], x[0]);
    (void)n_no;
    Tensor looped = RawLoop("f", n_yes, yes, [&](Tensor v) {
      // Would be an error: there is no such element.
      return gather(v, Inside(int64_t{7}, "f")) + v;
    });
    return {raw::merge({no, looped}).value};
  };
  EXPECT_EQ(Elements<float>(EveryGraphWay(f, {B(false), F({1, 2}), I(3)})[0]),
            (std::vector<float>{1, 2}));
  EXPECT_EQ(Elements<float>(EveryGraphWay(f, {B(true), F({1, 2}), I(0)})[0]),
            (std::vector<float>{1, 2}));
}

TEST(RawPrimitives, ADeadFetchIsNamedWithWhatDecidedTheSameInEveryRun) {
  Graph graph;
  GraphScope building(graph);
  Tensor p = Scalar(boolean, "p"), x = Scalar(f32, "x");
  auto [no, yes] = raw::switch_(x, p);
  Tensor y = yes * 2.0f + 1.0f;
  std::string first;
  for (int run = 0; run < 3; ++run) {
    EachExecutor([&](const RunOptions& options) {
      Session session(graph, {.threads = 1 + run % 2});
      std::string text =
          ErrorOf([&] { session.run(y, {{p, false}, {x, 1}}, options); });
      Contains(text, "is dead: predicate \"p\" of Switch");
      Contains(text, "raw_primitives_test.cc:");
      if (first.empty()) first = text;
      EXPECT_EQ(text, first);
      EXPECT_EQ(Item(session.run(y, {{p, true}, {x, 1}}, options)), 3);
    });
  }
}

TEST(RawPrimitives, InputsFromTwoFramesAreRefused) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = Scalar(f32, "x");
  Tensor mixed = raw::exit(raw::enter(x, "one") + raw::enter(x, "two"));
  Tensor half = raw::exit(raw::enter(x, "three") + x);
  EachExecutor([&](const RunOptions& options) {
    Session session(graph);
    std::string text = ErrorOf([&] { session.run(mixed, {{x, 1}}, options); });
    Contains(text, "different frames");
    Contains(text, "raw_primitives_test.cc:");
    Contains(ErrorOf([&] { session.run(half, {{x, 1}}, options); }),
             "different frames");
    EXPECT_EQ(Item(session.run(x + 1.0f, {{x, 1}}, options)), 2);
  });
}

TEST(RawPrimitives, AFrameHasOneLoopCond) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = Scalar(f32, "x");
  raw::Merged v = raw::loop_merge(raw::enter(x, "f"));
  Tensor ten = Inside(10.0f, "f");
  Tensor p = raw::loop_cond(v.value < ten);
  Tensor q = raw::loop_cond(v.value > ten);
  auto [done, go] = raw::switch_(v.value, p);
  auto [done2, go2] = raw::switch_(go, q);
  (void)done2;
  raw::set_next(v.value, raw::next_iteration(go2));
  Tensor y = raw::exit(done);
  EachExecutor([&](const RunOptions& options) {
    Session session(graph);
    Contains(ErrorOf([&] { session.run(y, {{x, 1}}, options); }), "[LoopCond]");
  });
}

TEST(RawPrimitives, AnExitWithoutAnEnterIsRefused) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = Scalar(f32, "x");
  Tensor y = raw::exit(x);
  EachExecutor([&](const RunOptions& options) {
    Session session(graph);
    Contains(ErrorOf([&] { session.run(y, {{x, 1}}, options); }), "[Exit]");
  });
}

TEST(RawPrimitives, ErrorsNameFrameAndIteration) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(f32, {any}, "x"), n = Scalar(i64, "n");
  raw::Merged i = raw::loop_merge(raw::enter(int64_t{0}, "count"));
  raw::Merged sum = raw::loop_merge(raw::enter(0.0f, "count"));
  Tensor p = raw::loop_cond(i.value < Inside(n, "count"));
  auto [i_done, i_go] = raw::switch_(i.value, p);
  auto [sum_done, sum_go] = raw::switch_(sum.value, p);
  (void)i_done;
  raw::set_next(i.value,
                raw::next_iteration(i_go + Inside(int64_t{1}, "count")));
  raw::set_next(sum.value,
                raw::next_iteration(sum_go + gather(Inside(x, "count"), i_go)));
  Tensor y = raw::exit(sum_done);
  EachExecutor([&](const RunOptions& options) {
    Session session(graph);
    EXPECT_EQ(Item(session.run(y, {{x, {1, 2, 3}}, {n, int64_t{3}}}, options)),
              6);
    std::string text = ErrorOf(
        [&] { session.run(y, {{x, {1, 2, 3}}, {n, int64_t{9}}}, options); });
    Contains(text, "[Gather]");
    Contains(text, "in iteration 3 of ");
    Contains(text, "raw_primitives_test.cc:");
  });
}

TEST(RawPrimitives, AControlTriggerIsAliveWhateverItWaitsFor) {
  Graph graph;
  GraphScope building(graph);
  Tensor p = Scalar(boolean, "p"), x = Scalar(f32, "x");
  auto [no, yes] = raw::switch_(x, p);
  Tensor a = no + 1.0f, b = yes + 2.0f, y;
  Operation trigger;
  {
    ControlScope both({a.operation(), b.operation()});
    trigger = raw::control_trigger();
  }
  {
    ControlScope after({trigger});
    y = identity(x);
  }
  EachExecutor([&](const RunOptions& options) {
    Session session(graph);
    for (bool v : {true, false}) {
      EXPECT_EQ(Item(session.run(y, {{p, v}, {x, 5}}, options)), 5);
    }
  });
}

TEST(RawPrimitives, ALoopWithoutEndObeysItsDeadline) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = Scalar(f32, "x");
  raw::Merged v = raw::loop_merge(raw::enter(x, "f"));
  Tensor p = raw::loop_cond(v.value < Inside(1e30f, "f"));
  auto [done, go] = raw::switch_(v.value, p);
  raw::set_next(v.value, raw::next_iteration(go * Inside(1.0f, "f")));
  Tensor y = raw::exit(done);
  EachExecutor([&](RunOptions options) {
    Session session(graph);
    options.timeout_ms = 5;
    EXPECT_EQ(CodeOf([&] { session.run(y, {{x, 1}}, options); }),
              Code::kDeadlineExceeded);
  });
}

TEST(RawPrimitives, InAPartialRun) {
  Graph graph;
  GraphScope building(graph);
  Tensor n = Scalar(i64, "n"), x = Scalar(f32, "x"), b = Scalar(f32, "b");
  Tensor y =
      RawLoop("f", n, x, [&](Tensor v) { return v * Inside(2.0f, "f"); });
  Tensor z = y + b;
  Session session(graph);
  PartialStep step = session.partial_run({n, x, b}, {y, z});
  EXPECT_TRUE(step.run({}, {{n, int64_t{3}}}).empty());
  EXPECT_EQ(Item(step.run({y}, {{x, 1}})[0]), 8);
  EXPECT_EQ(Item(step.run({z}, {{b, 1}})[0]), 9);
}

}  // namespace
}  // namespace sluice
