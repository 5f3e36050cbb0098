// Small graphs, every assignment of nodes to tasks, in every possible order:
// none gets stuck, and all give the results of one task.
#include <gtest/gtest.h>

#include "sluice/base/sanitizers.h"
#include "sluice/base/strings.h"
#include "sluice/graph/text_printer.h"
#include "sluice/partition/interleavings_test_util.h"
#include "sluice/partition/task_needs.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/step/executor_test_util.h"

namespace sluice {
namespace {

struct Case {
  const char* name;
  const char* text;
};

// Each takes a number of iterations and a value.
const Case kCases[] = {
    {"branch", R"(graph g(%n: i64[], %x: f32[]) -> (%r) {
      %p = Less(%x, 0)
      %y = Neg(%x)
      %r = If(%p) [dtypes = {f32}] {
        then() {
          %s = Add(%y, 1)
          yield %s
        }
        else() {
          %u = Mul(%y, %x)
          %v = Neg(%u)
          yield %v
        }
      }
    })"},
    {"loop", R"(graph g(%n: i64[], %x: f32[]) -> (%i, %y, %s) {
      %zero = Const [value = 0 : i64[]]
      %i, %y, %s = While(%zero, %x, %x) [dtypes = {i64, f32, f32}] {
        cond(%i: i64[], %y: f32[], %s: f32[]) {
          %c = Less(%i, %n)
          yield %c
        }
        body(%i: i64[], %y: f32[], %s: f32[]) {
          %j = Add(%i, 1)
          %z = Add(%y, %s)
          yield %j, %z, %y
        }
      }
    })"},
    {"branch in a loop", R"(graph g(%n: i64[], %x: f32[]) -> (%y) {
      %zero = Const [value = 0 : i64[]]
      %i, %y = While(%zero, %x) [dtypes = {i64, f32}] {
        cond(%i: i64[], %y: f32[]) {
          %c = Less(%i, %n)
          yield %c
        }
        body(%i: i64[], %y: f32[]) {
          %j = Add(%i, 1)
          %p = Less(%y, 0)
          %b = If(%p) [dtypes = {f32}] {
            then() {
              %t = Neg(%y)
              yield %t
            }
            else() {
              yield %x
            }
          }
          yield %j, %b
        }
      }
    })"},
    {"loop in a branch", R"(graph g(%n: i64[], %x: f32[]) -> (%r) {
      %p = Less(%x, 0)
      %r = If(%p) [dtypes = {f32}] {
        then() {
          %zero = Const [value = 0 : i64[]]
          %i, %y = While(%zero, %x) [dtypes = {i64, f32}] {
            cond(%i: i64[], %y: f32[]) {
              %c = Less(%i, %n)
              yield %c
            }
            body(%i: i64[], %y: f32[]) {
              %j = Add(%i, 1)
              %z = Add(%y, 1)
              yield %j, %z
            }
          }
          yield %y
        }
        else() {
          %u = Neg(%x)
          yield %u
        }
      }
    })"},
    {"loop in a loop", R"(graph g(%n: i64[], %x: f32[]) -> (%y) {
      %zero = Const [value = 0 : i64[]]
      %i, %y = While(%zero, %x) [dtypes = {i64, f32}] {
        cond(%i: i64[], %y: f32[]) {
          %c = Less(%i, %n)
          yield %c
        }
        body(%i: i64[], %y: f32[]) {
          %k, %w = While(%i, %y) [dtypes = {i64, f32}] {
            cond(%k: i64[], %w: f32[]) {
              %d = Less(%k, %n)
              yield %d
            }
            body(%k: i64[], %w: f32[]) {
              %l = Add(%k, 1)
              %z = Neg(%w)
              yield %l, %z
            }
          }
          %j = Add(%i, 1)
          yield %j, %w
        }
      }
    })"},
    {"waits", R"(graph g(%n: i64[], %x: f32[]) -> (%r, %q) {
      %a = Neg(%x)
      %b = Add(%x, 1) after %a
      %r = Mul(%a, %b)
      %p = Less(%x, 0)
      %i = If(%p) [dtypes = {f32}] {
        then() {
          %t = Neg(%a) after %b
          yield %t
        }
        else() {
          yield %b
        }
      }
      %q = Add(%x, 2) after %i
    })"},
};

void Plain(const Region& region, std::vector<const Node*>& out) {
  for (const Node* node : region.nodes()) {
    for (const auto& inner : node->regions()) Plain(*inner, out);
    if (node->regions().empty() && !TaskNeeds::IsCopied(*node)) {
      out.push_back(node);
    }
  }
}

TEST(Interleavings, EveryOrderOfEverySplitEndsAndGivesTheSame) {
  size_t splits = 0, states = 0;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    auto graph = MustParse(c.text);
    std::vector<const Node*> nodes;
    Plain(graph->root(), nodes);
    for (uint32_t choice = 0; choice < 1u << nodes.size(); ++choice) {
      // The tasks of the first node are symmetric: half of the choices suffice.
      if (choice & 1) continue;
      if ((SL_TSAN || SL_ASAN) && choice % 5 != 2) continue;
      SplitOptions options;
      options.device_of = [&](const Node& node) {
        for (size_t i = 0; i < nodes.size(); ++i) {
          if (nodes[i] == &node) {
            return StrCat("/job:t/task:", choice >> i & 1);
          }
        }
        return std::string("/job:t/task:0");
      };
      Result<std::vector<TaskPiece>> pieces = SplitByTask(*graph, options);
      ASSERT_TRUE(pieces.ok()) << pieces.status().ToString();
      for (int64_t n : {0, 1, 2}) {
        for (float x : {-1.0f, 1.0f}) {
          std::vector<Array> args = {Array::Scalar(n), Array::Scalar(x)};
          StepContext step;
          auto want = Interpret(*graph, args, step);
          ASSERT_TRUE(want.ok()) << want.status().ToString();
          Interleavings all(*pieces, args);
          Status tried = all.TryAll(1'000'000);
          std::string text;
          for (const TaskPiece& piece : *pieces) {
            if (!tried.ok()) text += PrintGraph(*piece.graph);
          }
          ASSERT_TRUE(tried.ok()) << tried.ToString() << "\n" << text;
          ASSERT_EQ(all.results().size(), want->size());
          for (const auto& [i, value] : all.results()) {
            ASSERT_TRUE(value.BitEquals((*want)[static_cast<size_t>(i)]));
          }
          states += all.num_states();
          ++splits;
        }
      }
    }
  }
  RecordProperty("splits", static_cast<int>(splits));
  RecordProperty("states", static_cast<int>(states));
  if (!SL_TSAN && !SL_ASAN) {
    EXPECT_GE(splits, 500u);
    EXPECT_GE(states, 500'000u);
  }
}

// The model detects its target: a message that nobody sends.
TEST(Interleavings, FindsAPieceThatCannotGoOn) {
  auto graph = MustParse(R"(graph g(%x: f32[]) -> (%y) {
    %a = Neg(%x) on "/job:t/task:0"
    %y = Neg(%a) on "/job:t/task:1"
  })");
  std::vector<TaskPiece> pieces = *SplitByTask(*graph);
  std::vector<TaskPiece> one;
  one.push_back(std::move(pieces[1]));
  one[0].args.clear();
  Status tried = Interleavings(one, {Array::Scalar(1.0f)}).TryAll(1000);
  EXPECT_EQ(tried.message(), "nothing can go on in /job:t/task:1");
}

}  // namespace
}  // namespace sluice
