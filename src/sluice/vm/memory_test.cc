// Tests the memory held by bytecode and its lifetime, cancellation, and
// reports.
#include <gtest/gtest.h>

#include <thread>

#include "sluice/base/strings.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/step/step_pool.h"
#include "sluice/tensor/allocator.h"
#include "sluice/vm/bytecode.h"
#include "sluice/vm/cost.h"

namespace sluice {
namespace {

constexpr int64_t kElements = 1 << 14;
constexpr int64_t kBytes = kElements * 4;

Array Row(float value) {
  Array a = *Array::Make(DType::kF32, Shape{kElements});
  std::fill_n(a.mutable_data<float>(), kElements, value);
  return a;
}

using Named = std::vector<std::pair<std::string, Array>>;

// Values by name, without other holders: a braced list would keep a copy.
template <class... Rest>
void Give(Named& named, const char* name, Array value, Rest&&... rest) {
  named.emplace_back(name, std::move(value));
  if constexpr (sizeof...(rest) > 0) Give(named, std::forward<Rest>(rest)...);
}

// The node "w" of a graph, compiled; runs on values given by name.
class Compiled {
 public:
  explicit Compiled(const std::string& text) : graph_(MustParse(text)) {
    auto code = Bytecode::Build(*graph_->FindNode("w"), BytecodeOptions());
    EXPECT_TRUE(code.ok()) << code.status().ToString();
    code_ = std::move(*code);
  }
  const Bytecode& code() const { return *code_; }

  template <class... Rest>
  Result<std::vector<Array>> Run(const char* name, Array value,
                                 Rest&&... rest) const {
    return RunStep({}, name, std::move(value), std::forward<Rest>(rest)...);
  }
  template <class... Rest>
  Result<std::vector<Array>> RunStep(const StepContext& step,
                                     Rest&&... rest) const {
    Named in;
    Give(in, std::forward<Rest>(rest)...);
    std::vector<Array> inputs,
        outputs(static_cast<size_t>(graph_->FindNode("w")->num_outputs()));
    for (const Value& v : code_->inputs()) {
      if (const Array* constant = ConstantValue(v)) {
        inputs.push_back(*constant);
      }
      for (auto& [name, value] : in) {
        if (v.ToString() == name) inputs.push_back(std::move(value));
      }
    }
    EXPECT_EQ(inputs.size(), code_->inputs().size());
    SL_RETURN_IF_ERROR(code_->Run(step, inputs, outputs));
    return outputs;
  }

 private:
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Bytecode> code_;
};

const char kRows[] =
    R"(graph g(%n: i32[], %x: f32[16384], %bad: i32[]) -> (%w:1) {
  %w = While(0, %x) [dtypes = {i32, f32}] {
    cond(%i: i32[], %a: f32[16384]) { %c = Less(%i, %n) yield %c }
    body(%i: i32[], %a: f32[16384]) run %ok {
      %j = Add(%i, 1)
      %good = NotEqual(%i, %bad)
      %ok = Assert(%good) [message = "bad"]
      %h = Mul(%a, 0.5)
      %b = Add(%h, 1.0)
      %p = Greater(%h, %b)
      %d = Select(%p, %h, %b)
      yield %j, %d
    }
  }
})";

TEST(BytecodeMemory, NothingIsHeldAfterARun) {
  Compiled rows(kRows);
  for (int bad : {-1, 7}) {
    for (int round = 0; round < 2; ++round) {
      int64_t before = HostAllocator().stats().bytes_in_use;
      {
        auto out = rows.Run("n", Array::Scalar(10), "x", Row(1), "bad",
                            Array::Scalar(bad));
        EXPECT_EQ(out.ok(), bad < 0);
      }
      // The first round may leave the arena of a tape for the next.
      if (round > 0) {
        EXPECT_EQ(HostAllocator().stats().bytes_in_use, before);
      }
    }
  }
}

// The peak of bytes in use above the initial amount.
template <class F>
int64_t Peak(F run) {
  HostAllocator().ResetPeak();
  int64_t before = HostAllocator().stats().bytes_in_use;
  run();
  return HostAllocator().stats().peak_bytes - before;
}

TEST(BytecodeMemory, ALongLoopNeedsFewBuffers) {
  Compiled rows(kRows);
  auto run = [&](int n) {
    return rows.Run("n", Array::Scalar(n), "x", Row(1), "bad",
                    Array::Scalar(-1));
  };
  ASSERT_TRUE(run(3).ok());
  int64_t peak = Peak([&] { ASSERT_TRUE(run(1000).ok()); });
  EXPECT_LE(peak, 2 * kBytes + kBytes / 2) << HumanBytes(peak);

  Compiled products(R"(graph g(%n: i32[], %x: f32[128,128], %m: f32[128,128]) {
    %w = While(0, %x) [dtypes = {i32, f32}] {
      cond(%i: i32[], %a: f32[128,128]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %a: f32[128,128]) {
        %j = Add(%i, 1)
        %b = MatMul(%a, %m)
        yield %j, %b
      }
    }
  })");
  auto multiply = [&](int n) {
    Array x = Array::Zeros(DType::kF32, {128, 128}), m = *x.Clone();
    return products.Run("n", Array::Scalar(n), "x", std::move(x), "m",
                        std::move(m));
  };
  ASSERT_TRUE(multiply(2).ok());
  // The loop's buffers and the invariant matrix.
  peak = Peak([&] { ASSERT_TRUE(multiply(50).ok()); });
  EXPECT_LE(peak, 3 * kBytes + kBytes / 2) << HumanBytes(peak);
}

TEST(BytecodeMemory, WhatDiesIsWrittenOver) {
  Compiled rows(R"(graph g(%n: i32[], %x: f32[?]) {
    %w = While(0, %x) [dtypes = {i32, f32}] {
      cond(%i: i32[], %a: f32[?]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %a: f32[?]) {
        %j = Add(%i, 1)
        %h = Mul(%a, 0.5)
        %odd = Equal(%i, 1)
        %r = If(%odd) [dtypes = {f32}] {
          then() { yield %h }
          else() { %k = Add(%h, 1.0) yield %k }
        }
        yield %j, %r
      }
    }
  })");
  Array x = Array::Vector<float>({1, 2, 3});
  const void* at = x.raw();
  auto out = rows.Run("n", Array::Scalar(5), "x", std::move(x));
  ASSERT_TRUE(out.ok()) << out.status().ToString();
  EXPECT_EQ((*out)[1].raw(), at);
  // A value with another holder is not overwritten.
  Array kept = Array::Vector<float>({1, 2, 3});
  out = rows.Run("n", Array::Scalar(5), "x", kept);
  EXPECT_NE((*out)[1].raw(), kept.raw());
  EXPECT_TRUE(kept.BitEquals(Array::Vector<float>({1, 2, 3})));
}

TEST(BytecodeMemory, ConstantsAndHandlesStayForTheNextStep) {
  auto plan = *Plan::Build(MustParse(R"(graph g(%n: i32[]) -> (%w:1) {
    %start = Const [value = [1.0 2.0]]
    %w = While(0, %start) [dtypes = {i32, f32}] {
      cond(%i: i32[], %a: f32[2]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %a: f32[2]) {
        %j = Add(%i, 1)
        %b = Add(%a, 1.0)
        %d = Add(%b, %start)
        yield %j, %d
      }
    }
  })"),
                           PlanOptions());
  for (int round = 0; round < 3; ++round) {
    auto step = AcquireStep(*plan);
    step->Begin(StepRequest());
    step->Feed(0, Array::Scalar(2));
    step->RunUntilQuiet();
    ASSERT_TRUE(step->Finish().ok());
    EXPECT_EQ(step->results()[0].ToString(), "[5 8]");
    ReleaseStep(*plan, std::move(step));
  }
}

TEST(BytecodeMemory, AnEndlessLoopObeysItsDeadline) {
  for (const char* text : {
           R"(graph g(%x: f32[2]) {
             %w = While(0, %x) [dtypes = {i32, f32}] {
               cond(%i: i32[], %a: f32[2]) { %c = Less(%i, 1) yield %c }
               body(%i: i32[], %a: f32[2]) { %b = Neg(%a) yield %i, %b }
             }
           })",
           R"(graph g(%x: f32[2]) {
             %w = While(0, %x) [dtypes = {i32, f32}] {
               cond(%i: i32[], %a: f32[2]) { %c = Less(%i, 1) yield %c }
               body(%i: i32[], %a: f32[2]) { yield %i, %a }
             }
           })"}) {
    Compiled endless(text);
    Cancellation cancellation;
    StepContext step;
    step.cancellation = &cancellation;
    std::thread clock(
        [&] { cancellation.Cancel(DeadlineExceeded("the time is over")); });
    auto out = endless.RunStep(step, "x", Array::Vector<float>({1, 2}));
    clock.join();
    ASSERT_FALSE(out.ok());
    EXPECT_EQ(out.status().code(), Code::kDeadlineExceeded);
    EXPECT_NE(out.status().message().find("of the loop"), std::string::npos);
  }
}

TEST(BytecodeMemory, RunsMayOverlap) {
  Compiled rows(kRows);
  auto run = [&](int n) {
    return *rows.Run("n", Array::Scalar(n), "x", Row(static_cast<float>(n)),
                     "bad", Array::Scalar(-1));
  };
  std::vector<Array> want, got(4);
  for (int n = 0; n < 4; ++n) want.push_back(run(20 + n)[1]);
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back(
        [&, n] { got[static_cast<size_t>(n)] = run(20 + n)[1]; });
  }
  for (std::thread& t : threads) t.join();
  for (size_t n = 0; n < 4; ++n) EXPECT_TRUE(got[n].BitEquals(want[n]));
}

TEST(BytecodeExplain, SaysWhereThingsAre) {
  Compiled code(R"(graph g(%n: i32[], %x: f32[8,8], %u: f32[?]) {
    %w = While(0, %x, %u) [dtypes = {i32, f32, f32}, maximum = 9] {
      cond(%i: i32[], %a: f32[8,8], %v: f32[?]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %a: f32[8,8], %v: f32[?]) {
        %j = Add(%i, 1)
        %h = MatMul(%a, %x)
        %b = Tanh(%h)
        %k = Neg(%v)
        yield %j, %b, %k
      }
    }
  })");
  std::string text = code.code().Explain();
  for (const char* part :
       {"cells", "registers", "= Less c", "= Add c", "tape of 2 nodes",
        "planned memory", "Neg \"k\" take r", "shape [?] unknown",
        "after 9 iterations", "next iteration of \"w\""}) {
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
  }
}

TEST(BytecodeExplain, AHandleIsMadeOnceForAllIterations) {
  Compiled code(R"(graph g(%n: i32[]) {
    %w = While(0) [dtypes = {i32}] {
      cond(%i: i32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[]) run %set {
        %v = Variable [dtype = i32, shape = []]
        %set = Assign(%v, %i)
        %r = ReadVariable(%v) [dtype = i32, shape = []]
        %j = Add(%r, 1)
        yield %j
      }
    }
  })");
  std::string text = code.code().Explain();
  EXPECT_NE(text.find("once Variable"), text.npos) << text;
  ResourceManager resources;
  StepContext step;
  step.resources = &resources;
  auto out = code.RunStep(step, "n", Array::Scalar(3));
  ASSERT_TRUE(out.ok()) << out.status().ToString();
  EXPECT_EQ(*(*out)[0].data<int32_t>(), 3);
}

TEST(BytecodeCost, CountsIterations) {
  auto loop = [](const char* begin, const char* end, const char* maximum) {
    return MustParse(StrCat(
        "graph g(%n: i32[]) { %w = While(", begin,
        ") [dtypes = {i32}, maximum = ", maximum,
        "] { cond(%i: i32[]) { %c = Less(%i, ", end,
        ") yield %c } body(%i: i32[]) { %j = Add(%i, 2) yield %j } } }"));
  };
  auto trips = [](const std::unique_ptr<Graph>& graph) {
    return KnownTrips(*graph->FindNode("w"));
  };
  EXPECT_EQ(trips(loop("0", "10", "-1")), 5);
  EXPECT_EQ(trips(loop("1", "10", "-1")), 5);
  EXPECT_EQ(trips(loop("10", "10", "-1")), 0);
  EXPECT_EQ(trips(loop("0", "10", "3")), 3);
  EXPECT_EQ(trips(loop("0", "%n", "7")), 7);
  EXPECT_EQ(trips(loop("0", "%n", "-1")), -1);
  auto cost = [](const std::unique_ptr<Graph>& graph) {
    return BytecodeCostNanos(*graph->FindNode("w"));
  };
  EXPECT_LT(cost(loop("0", "10", "-1")), 200);
  EXPECT_GT(cost(loop("0", "100000", "-1")), 1e5);
}

}  // namespace
}  // namespace sluice
