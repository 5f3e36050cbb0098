#include "sluice/front/raw_control_flow.h"

#include "sluice/eager/call.h"
#include "sluice/eager/operators.h"
#include "sluice/eager/scope.h"
#include "sluice/front/front_test_util.h"
#include "sluice/graph/verifier.h"
#include "sluice/passes/prune.h"
#include "sluice/reference/reference_interpreter.h"

namespace sluice {
namespace {

// What a run of the reference interpreter gives for one value.
std::string Interpreted(Graph& graph, const Tensor& fetch) {
  EXPECT_TRUE(Verify(graph).ok()) << Verify(graph).message();
  Value value = fetch.value();
  Result<std::unique_ptr<Graph>> pruned = Prune(graph, {}, {&value, 1}, {});
  EXPECT_TRUE(pruned.ok()) << pruned.status().message();
  if (!pruned.ok()) return "";
  Result<std::vector<Array>> results = Interpret(**pruned, {}, StepContext());
  return results.ok() ? (*results)[0].ToString() : results.status().message();
}

TEST(RawControlFlow, ALoopByHand) {
  Graph graph;
  GraphScope scope(graph);
  Tensor ten = call("Identity", {10}, {})[0];
  Tensor one = raw::enter(1, "count", {.constant = true});
  Tensor limit = raw::enter(ten, "count", {.constant = true});
  raw::Merged i = raw::loop_merge(raw::enter(0, "count"));
  raw::Merged sum = raw::loop_merge(raw::enter(100, "count"));
  EXPECT_EQ(i.value.rank(), -1);
  Tensor p = raw::loop_cond(i.value < limit);
  auto [i_done, i_go] = raw::switch_(i.value, p);
  auto [sum_done, sum_go] = raw::switch_(sum.value, p);
  raw::set_next(i.value, raw::next_iteration(i_go + one));
  raw::set_next(sum.value, raw::next_iteration(sum_go + i_go));
  EXPECT_EQ(Interpreted(graph, raw::exit(sum_done)), "145");
  EXPECT_EQ(Interpreted(graph, raw::exit(i_done)), "10");
}

// Lowered to tokens, the loop gets a frame of another name.
TEST(RawControlFlow, AFrameAndALoopMayHaveTheSameName) {
  Graph graph;
  GraphScope building(graph);
  Tensor n = placeholder(i64, std::vector<int64_t>{}, "n");
  auto i = raw::loop_merge(raw::enter(n, "same"));
  Tensor low = raw::enter(constant(int64_t{0}), "same", {.constant = true});
  Tensor go = raw::loop_cond(i.value > low);
  auto [done, more] = raw::switch_(i.value, go);
  raw::set_next(i.value, raw::next_iteration(
                             more - raw::enter(constant(int64_t{2}), "same",
                                               {.constant = true})));
  Tensor by_hand = raw::exit(done);
  Tensor loop = while_loop([](Tensor k) { return k > 0; },
                           [](Tensor k) { return k - 3; }, n, {.name = "same"});
  Session session(graph);
  RunOptions options;
  options.executor = ExecutorChoice::kTokens;
  std::vector<Array> out =
      session.run({by_hand, loop}, {{n, int64_t{7}}}, {}, options);
  EXPECT_EQ(*out[0].data<int64_t>(), -1);
  EXPECT_EQ(*out[1].data<int64_t>(), -2);
}

TEST(RawControlFlow, AConditionalByHand) {
  Graph graph;
  GraphScope scope(graph);
  Tensor x = call("Identity", {3.0f}, {})[0];
  auto [no, yes] = raw::switch_(x, x > 2.0f);
  raw::Merged y = raw::merge({-no, yes * yes});
  EXPECT_EQ(Interpreted(graph, y.value), "9");
  EXPECT_EQ(Interpreted(graph, y.index), "1");
  Operation trigger;
  {
    ControlScope after({no.operation()});
    trigger = raw::control_trigger();
  }
  ControlScope after({trigger});
  EXPECT_EQ(Interpreted(graph, x + 1.0f), "4");
}

TEST(RawControlFlow, MistakesAreNamed) {
  EXPECT_EQ(ErrorOf([] { raw::switch_(1, true); }).substr(0, 38),
            "[Switch] no graph is open on this thre");
  Graph graph;
  GraphScope scope(graph);
  Tensor x = raw::enter(1, "f");
  raw::Merged m = raw::loop_merge(x);
  Tensor next = raw::next_iteration(m.value);
  auto expect = [](const std::string& got, std::string_view want) {
    EXPECT_NE(got.find(want), std::string::npos) << got;
    EXPECT_NE(got.find("at raw_control_flow_test.cc:"), std::string::npos)
        << got;
  };
  expect(ErrorOf([&] { raw::set_next(x, next); }),
         "[set_next] \"Enter\" comes from Enter; wanted the value of a "
         "loop_merge");
  expect(ErrorOf([&] { raw::set_next(m.value, m.value); }),
         "[set_next] \"Merge\" comes from Merge; wanted a next_iteration");
  expect(ErrorOf([&] {
           raw::set_next(
               m.value, raw::next_iteration(call("Cast", {m.value},
                                                 {{"dtype", DType::kF32}})[0]));
         }),
         "; wanted i32, as \"Merge\" is");
  raw::set_next(m.value, next);
  expect(ErrorOf([&] { raw::set_next(m.value, next); }),
         "[set_next] \"Merge\" reads \"NextIteration\" already");
  expect(ErrorOf([&] { raw::set_next(m.value, Tensor()); }),
         "[set_next] wanted two values of one graph");
  EXPECT_TRUE(Verify(graph).ok()) << Verify(graph).message();
}

}  // namespace
}  // namespace sluice
