// Lists and stacks under every executor: equal values everywhere, and no copies
// if nobody else holds the list.
#include <gtest/gtest.h>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/tensor/list.h"

namespace sluice {
namespace {

Array I(int64_t i) { return Array::Scalar(i); }

// Appends and sets in a chain, each the only reader of the previous one.
std::unique_ptr<Graph> Chain(int n) {
  auto graph = std::make_unique<Graph>("chain");
  Region& root = graph->root();
  Value x = *graph->AddArg(root, "x", {DType::kF32, PartialShape::Scalar()});
  auto add = [&](std::string_view op, std::vector<Value> in, Attrs attrs) {
    return (*graph->Add(root, op, in, attrs))->output();
  };
  Value zero = add("Const", {}, {{"value", I(0)}});
  Value list = add("ListNew", {zero}, {{"dtype", DType::kF32}});
  for (int i = 0; i < n; ++i) list = add("ListAppend", {list, x}, {});
  for (int i = 0; i < n; ++i) list = add("ListSet", {list, zero, x}, {});
  graph->SetResults(root, {add("ListStack", {list}, {{"dtype", DType::kF32}})});
  return graph;
}

TEST(Lists, TenThousandWritesInAStepCopyNothing) {
  std::unique_ptr<Graph> graph = Chain(5000);
  WorkerPool pool(2);
  for (ExecutorChoice choice :
       {ExecutorChoice::kTokens, ExecutorChoice::kTape}) {
    int64_t before = ListValue::copies();
    auto out = RunOnPlan(*graph, {Array::Scalar(2.0f)}, choice, &pool);
    ASSERT_TRUE(out.ok()) << out.status().ToString();
    EXPECT_EQ((*out)[0].num_elements(), 5000);
    EXPECT_EQ(ListValue::copies(), before);
  }
}

TEST(Lists, ReadersGoBeforeWhoMayWriteOverTheList) {
  // All are ready at once, and the machine runs the newest first: without
  // effect order the writer would usually run before the readers and have to
  // copy.
  auto graph = MustParse(R"(graph g(%l: list[], %x: f32[]) -> (%s, %a, %b, %c) {
    %at = Const [value = [0] : i64[1]]
    %m = ListAppend(%l, %x)
    %a = ListGet(%m, 0) [dtype = f32, shape = []]
    %b = ListSize(%m)
    %c = ListGather(%m, %at) [dtype = f32, shape = []]
    %n = ListAppend(%m, %x)
    %s = ListStack(%n) [dtype = f32, shape = []]
  })");
  WorkerPool pool(2);
  for (ExecutorChoice choice :
       {ExecutorChoice::kTokens, ExecutorChoice::kTape}) {
    for (WorkerPool* threads : {static_cast<WorkerPool*>(nullptr), &pool}) {
      Array list = ListArray(MakeRef<ListValue>(DType::kF32, PartialShape()));
      int64_t before = ListValue::copies();
      auto out =
          RunOnPlan(*graph, {list, Array::Scalar(1.0f)}, choice, threads);
      ASSERT_TRUE(out.ok()) << out.status().ToString();
      EXPECT_EQ((*out)[0].num_elements(), 2);
      EXPECT_EQ((*out)[2].data<int64_t>()[0], 1);
      EXPECT_EQ(ListValue::copies(), before + 1) << "that of the argument";
      EXPECT_EQ(ListOf(list)->size(), 0);
    }
  }
}

TEST(Lists, AListWrittenTwiceIsTwoLists) {
  auto graph = MustParse(R"(graph g(%l: list[], %x: f32[]) -> (%a, %b, %l) {
    %y = Neg(%x)
    %a = ListAppend(%l, %x)
    %b = ListSet(%l, 0, %y)
  })");
  Array list = ListArray(MakeRef<ListValue>(DType::kF32, PartialShape()));
  ASSERT_TRUE(ListOf(list)->Append(Array::Scalar(5.0f)).ok());
  std::vector<Array> out = ExpectAllAgree(*graph, {list, Array::Scalar(1.0f)});
  EXPECT_EQ(ListOf(out[0])->size(), 2);
  EXPECT_EQ(ListOf(out[1])->at(0).data<float>()[0], -1);
  EXPECT_EQ(ListOf(out[2])->at(0).data<float>()[0], 5);
}

TEST(Lists, AreCarriedByLoops) {
  auto graph = MustParse(R"(graph g(%n: i64[]) -> (%w:1, %all, %fib) {
    %zero = Const [value = 0 : i64[]]
    %one = Const [value = 1 : i64[]]
    %new = ListNew(%zero) [dtype = i64, shape = []]
    %l0 = ListAppend(%new, %one)
    %start = ListAppend(%l0, %one)
    %w = While(%zero, %start) [dtypes = {i64, list}] {
      cond(%i: i64[], %l: list[]) {
        %p = Less(%i, %n)
        yield %p
      }
      body(%i: i64[], %l: list[]) {
        %s = ListSize(%l)
        %k1 = Sub(%s, 1)
        %k2 = Sub(%s, 2)
        %a = ListGet(%l, %k1) [dtype = i64, shape = []]
        %b = ListGet(%l, %k2) [dtype = i64, shape = []]
        %c = Add(%a, %b)
        %m = ListAppend(%l, %c)
        %next = Add(%i, 1)
        yield %next, %m
      }
    }
    %all = ListStack(%w:1) [dtype = i64, shape = []]
    %fib = ListGet(%w:1, %n) [dtype = i64, shape = []]
  })");
  std::vector<Array> out = ExpectAllAgree(*graph, {I(20)});
  EXPECT_EQ(out[1].num_elements(), 22);
  EXPECT_EQ(out[2].data<int64_t>()[0], 10946);
  out = ExpectAllAgree(*graph, {I(0)});
  EXPECT_EQ(out[1].num_elements(), 2);
}

TEST(Lists, ALoopThatReadsAndWritesAListCopiesItAtMostOnce) {
  auto graph = MustParse(R"(graph g(%n: i64[], %start: list[]) -> (%w:1) {
    %zero = Const [value = 0 : i64[]]
    %w = While(%zero, %start) [dtypes = {i64, list}] {
      cond(%i: i64[], %l: list[]) {
        %p = Less(%i, %n)
        yield %p
      }
      body(%i: i64[], %l: list[]) {
        %m = ListAppend(%l, %i)
        %a = ListGet(%m, %i) [dtype = i64, shape = []]
        %s = ListSize(%m)
        %b = Sub(%a, %s)
        %o = ListSet(%m, %i, %b)
        %next = Add(%i, 1)
        yield %next, %o
      }
    }
  })");
  WorkerPool pool(2);
  for (ExecutorChoice choice : {ExecutorChoice::kTokens, ExecutorChoice::kTape,
                                ExecutorChoice::kAuto}) {
    for (WorkerPool* threads : {static_cast<WorkerPool*>(nullptr), &pool}) {
      Array list = ListArray(MakeRef<ListValue>(DType::kI64, PartialShape()));
      int64_t before = ListValue::copies();
      auto out = RunOnPlan(*graph, {I(5000), list}, choice, threads);
      ASSERT_TRUE(out.ok()) << out.status().ToString();
      EXPECT_EQ(ListOf((*out)[0])->size(), 5000);
      EXPECT_EQ(ListOf((*out)[0])->at(7).data<int64_t>()[0], -1);
      EXPECT_EQ(ListOf(list)->size(), 0);
      EXPECT_LE(ListValue::copies(), before + 1) << static_cast<int>(choice);
    }
  }
}

// Many writers of one list, ready at once: each ends up with its own.
TEST(Lists, OneListMayBeWrittenOnManyThreads) {
  Graph graph("wide");
  Region& root = graph.root();
  Value x = *graph.AddArg(root, "x", {DType::kF32, PartialShape{100}});
  auto add = [&](std::string_view op, std::vector<Value> in, Attrs attrs = {}) {
    return (*graph.Add(root, op, in, attrs))->output();
  };
  Value rows = add("ListUnstack", {x});
  std::vector<Value> results;
  for (int i = 0; i < 40; ++i) {
    Value at = add("Const", {}, {{"value", I(i)}});
    Value list = rows;
    for (int k = 0; k < 5; ++k) {
      Value e = add("ListGet", {list, at}, {{"dtype", DType::kF32}});
      list = add("ListSet", {list, at, add("Neg", {e})});
      list = add("ListAppend", {list, e});
    }
    results.push_back(add("ListStack", {list}, {{"dtype", DType::kF32}}));
  }
  results.push_back(add("ListStack", {rows}, {{"dtype", DType::kF32}}));
  graph.SetResults(root, results);
  Array in = Array::Zeros(DType::kF32, {100});
  for (int i = 0; i < 100; ++i) in.mutable_data<float>()[i] = i + 1.0f;
  std::vector<Array> out = ExpectAllAgree(graph, {in});
  for (int i = 0; i < 40; ++i) {
    const Array& y = out[static_cast<size_t>(i)];
    ASSERT_EQ(y.num_elements(), 105);
    EXPECT_EQ(y.data<float>()[i], -(i + 1.0f));
    EXPECT_EQ(y.data<float>()[99], i == 99 ? -100 : 100);
  }
  EXPECT_TRUE(out.back().BitEquals(in));
}

TEST(Lists, AnErrorInAStepLeavesNothingBehind) {
  auto graph = MustParse(R"(graph g(%x: f32[3], %i: i64[]) -> (%y) {
    %l = ListUnstack(%x)
    %e = ListGet(%l, %i) [dtype = f32]
    %m = ListAppend(%l, %e)
    %y = ListStack(%m) [dtype = f32]
  })");
  for (ExecutorChoice choice :
       {ExecutorChoice::kTokens, ExecutorChoice::kTape}) {
    Array x = Array::Vector<float>({1, 2, 3});
    auto out = RunOnPlan(*graph, {x, I(7)}, choice, nullptr);
    ASSERT_FALSE(out.ok());
    EXPECT_NE(out.status().message().find(
                  "[ListGet] index is 7; wanted 0 <= index < 3"),
              std::string::npos)
        << out.status().message();
    EXPECT_TRUE(x.unique()) << "somebody still holds a row of it";
  }
}

}  // namespace
}  // namespace sluice
