#include "sluice/front/list.h"

#include "sluice/front/front_test_util.h"
#include "sluice/tensor/list.h"

namespace sluice {
namespace {

using Floats = std::vector<float>;

TEST(ListFace, ReadsAsWrittenDown) {
  List a(f32);
  List b = a.append(1.5f).append(constant(2.5f));
  EXPECT_EQ(a.size().item<int64_t>(), 0) << "a list is a value";
  EXPECT_EQ(b.size().item<int64_t>(), 2);
  EXPECT_EQ(b[1].item<float>(), 2.5f);
  List c = b.set(0, 7);
  EXPECT_EQ(b.get(0).item<float>(), 1.5f);
  EXPECT_EQ(c.get(constant(0)).item<float>(), 7);
  EXPECT_EQ(c.set(3, 1).stack().to_vector<float>(), (Floats{7, 2.5f, 0, 1}));
  auto [rest, last] = c.pop();
  EXPECT_EQ(last.item<float>(), 2.5f);
  EXPECT_EQ(rest.size().item<int64_t>(), 1);
  EXPECT_EQ(rest.resize(3).size().item<int64_t>(), 3);
}

TEST(ListFace, TakesTensorsApartAndPutsThemTogether) {
  Tensor x = constant({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  List rows = List::of(x);
  EXPECT_EQ(rows.shape(), (PartialShape{2}));
  EXPECT_EQ(rows.stack().to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(rows.gather({2, 0}).to_vector<float>(), (Floats{5, 6, 1, 2}));
  List more = rows.scatter({0, 3}, constant({{9.f, 9.f}, {8.f, 8.f}}));
  EXPECT_EQ(more.stack().to_vector<float>(), (Floats{9, 9, 3, 4, 5, 6, 8, 8}));
  List parts = List::split(x, {1, 0, 2});
  EXPECT_EQ(parts.shape(), (PartialShape{any, 2}));
  EXPECT_EQ(parts[2].shape(), (PartialShape{2, 2}));
  auto [values, lengths] = parts.concat();
  EXPECT_EQ(values.to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(lengths.to_vector<int64_t>(), (std::vector<int64_t>{1, 0, 2}));
  EXPECT_EQ(parts.zeros_like().concat().values.to_vector<float>(), Floats(6));
}

TEST(ListFace, HoldsLists) {
  List outer(list);
  outer = outer.append(List(i64).append(3)).append(List(i64));
  EXPECT_EQ(outer.get_list(0, i64)[0].item<int64_t>(), 3);
  EXPECT_EQ(outer.get_list(1, i64).size().item<int64_t>(), 0);
}

// ---- Lists are values, imperative tensors are not ----

TEST(ListFace, AWriteInPlaceDoesNotReachIntoAList) {
  Tensor x = constant({1.f, 2.f});
  List held = List(f32).append(x);
  List rows = List::of(x), set = List(f32).set(0, x);
  x.add_(10.f);
  EXPECT_EQ(held[0].to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(set[0].to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(rows[1].item<float>(), 2);
  Tensor part = x[0];
  List of_part = List(f32).append(x[0]);
  x.add_(1.f);
  EXPECT_EQ(of_part[0].item<float>(), 11) << "a view of x";
}

TEST(ListFace, AWriteToWhatWasReadDoesNotReachIntoAList) {
  List held = List(f32).append(constant({1.f, 2.f}));
  Tensor read = held[0];
  read.add_(5.f);
  auto [rest, popped] = held.pop();
  popped.add_(5.f);
  EXPECT_EQ(held[0].to_vector<float>(), (Floats{1, 2}));
}

TEST(ListFace, AMovedListIsWrittenWhereItLies) {
  List list(f32);
  int64_t before = ListValue::copies();
  for (int i = 0; i < 10'000; ++i) {
    list = std::move(list).append(static_cast<float>(i));
  }
  for (int i = 0; i < 10'000; ++i) list = std::move(list).set(i, 2.f * 3.f);
  EXPECT_EQ(ListValue::copies(), before);
  EXPECT_EQ(list.size().item<int64_t>(), 10'000);
  List other = list;
  list = std::move(list).append(1);
  EXPECT_EQ(ListValue::copies(), before + 1) << "somebody else sees it";
  EXPECT_EQ(other.size().item<int64_t>(), 10'000);
  for (int i = 0; i < 100; ++i) list = std::move(list).pop().first;
  EXPECT_EQ(ListValue::copies(), before + 1);
}

TEST(ListFace, AMoveThatFailsLosesNothing) {
  List list = List(f32).append(1);
  Contains(ErrorOf([&] { (void)std::move(list).append(constant({1, 2})); }),
           "[ListAppend] the element is i32[2]; wanted f32[...]");
  EXPECT_EQ(list[0].item<float>(), 1);
  List gone = std::move(list).append(2);
  EXPECT_FALSE(list.defined());
  Contains(ErrorOf([&] { (void)list.append(1); }), "holds nothing");
}

TEST(ListFace, ErrorsNameOpIndexAndLine) {
  List list = List(f32).append(1);
  std::string error = ErrorOf([&] { (void)list[3]; });
  Contains(error,
           "[ListGet] index is 3; wanted 0 <= index < 1, the size of the list");
  Contains(error, "list_test.cc:");
  Contains(ErrorOf([&] { (void)list.append("text"); }), "[ListAppend]");
  Contains(ErrorOf([&] { List bad(DType::kResource); }),
           "[ListNew] dtype is resource; wanted one of");
}

TEST(ListFace, ABoundedListGrowsNoFurther) {
  List two = List::sized(f32, 0, Shape(), 2).append(1).append(2);
  Contains(ErrorOf([&] { (void)two.append(3); }),
           "[ListAppend] a list of 3 elements is too long; wanted at most 2");
}

TEST(ListFace, IsNothingToATrapForNan) {
  NanTrap trap;
  List list = List(f32).append(constant({1.f, 2.f}));
  EXPECT_EQ(list[0].to_vector<float>(), (Floats{1, 2}));
}

// ---- In graphs ----

TEST(ListFace, IsNothingToATrapForNanInAGraph) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(f32, Shape(), "x");
  Tensor y = List(f32).append(x).append(x * 2.f).stack();
  Session session(graph);
  RunOptions options;
  options.nan_trap = true;
  EXPECT_EQ(Elements<float>(session.run(y, {{x, 1.f}}, options)),
            (Floats{1, 2}));
}

TEST(ListFace, IsPartOfAGraph) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(f32, {2}, "x");
  List list(f32, {2});
  list = list.append(x).append(x * 2.f);
  Tensor all = list.stack(), first = list[0], size = list.size();
  EXPECT_EQ(all.shape(), (PartialShape{any, 2}));
  EXPECT_EQ(first.shape(), (PartialShape{2}));
  Session session(graph);
  auto got = session.run({all, first, size}, {{x, {1.f, 2.f}}});
  EXPECT_EQ(Elements<float>(got[0]), (Floats{1, 2, 2, 4}));
  EXPECT_EQ(Elements<float>(got[1]), (Floats{1, 2}));
  EXPECT_EQ(Elements<int64_t>(got[2])[0], 2);
}

TEST(ListFace, IsFedAndFetched) {
  Graph graph;
  GraphScope building(graph);
  Tensor in = placeholder(list, Shape(), "l");
  List longer = List(in, f32).append(5);
  Session session(graph);
  int64_t before = ListValue::copies();
  Array held = ListArray(MakeRef<ListValue>(f32, PartialShape()));
  Array out = session.run(longer.tensor(), {{in, held}});
  EXPECT_EQ(ListOf(out)->size(), 1);
  EXPECT_EQ(ListOf(held)->size(), 0);
  EXPECT_EQ(ListValue::copies(), before + 1);
}

TEST(ListFace, AChainInAGraphIsWrittenWhereItLies) {
  for (ExecutorChoice executor :
       {ExecutorChoice::kAuto, ExecutorChoice::kTokens}) {
    Graph graph;
    GraphScope building(graph);
    Tensor x = placeholder(f32, Shape(), "x");
    List list(f32, Shape());
    for (int i = 0; i < 300; ++i) list = list.append(x);
    for (int i = 0; i < 300; ++i) list = list.set(i, x);
    Tensor all = list.stack();
    Session session(graph);
    int64_t before = ListValue::copies();
    RunOptions options;
    options.executor = executor;
    Array got = session.run({all}, {{x, 2.f}}, {}, options)[0];
    EXPECT_EQ(got.num_elements(), 300);
    EXPECT_EQ(ListValue::copies(), before);
  }
}

TEST(ListFace, IsCarriedByLoopsAndReturnedByBranches) {
  auto squares = [](const Tensor& n) {
    auto [i, out] = while_loop(
        [&](Tensor k, List) { return k < n; },
        [](Tensor k, List l) { return std::tuple(k + 1, l.append(k * k)); },
        int64_t{0}, List(i64, Shape()));
    List more = cond(
        n > 3, [l = out] { return l.append(100); }, [l = out] { return l; });
    return more.stack();
  };
  EXPECT_EQ(squares(constant(int64_t{3})).to_vector<int64_t>(),
            (std::vector<int64_t>{0, 1, 4}));
  Graph graph;
  GraphScope building(graph);
  Tensor n = placeholder(i64, Shape(), "n");
  Tensor all = squares(n);
  Session session(graph);
  EXPECT_EQ(Elements<int64_t>(session.run(all, {{n, 4}})),
            (std::vector<int64_t>{0, 1, 4, 9, 100}));
  EXPECT_EQ(Elements<int64_t>(session.run(all, {{n, 0}})),
            std::vector<int64_t>{});
}

TEST(ListFace, AnErrorInALoopSaysWhichIteration) {
  Graph graph;
  GraphScope building(graph);
  Tensor n = placeholder(i64, Shape(), "n");
  auto [i, sum] =
      while_loop([&](Tensor k, Tensor) { return k < 10; },
                 [l = List::of(constant({1.f, 2.f, 3.f}))](Tensor k, Tensor s) {
                   return std::tuple(k + 1, s + l[k]);
                 },
                 n, 0.f);
  Session session(graph);
  std::string error = ErrorOf([&] { (void)session.run(sum, {{n, 1}}); });
  Contains(error, "[ListGet] index is 3; wanted 0 <= index < 3");
  Contains(error, "in iteration 2");
}

TEST(ListFace, WorksInACapturedFunction) {
  List seen(f32, Shape());
  auto next = function([&](Tensor l, Tensor x) {
    List in(l, f32, Shape());
    return std::vector<Tensor>{in.append(x).tensor(), in.size()};
  });
  for (int i = 0; i < 3; ++i) {
    auto out = next(seen.tensor(), constant(static_cast<float>(i)));
    EXPECT_EQ(out[1].item<int64_t>(), i);
    seen = List(out[0], f32, Shape());
  }
  EXPECT_EQ(seen.stack().to_vector<float>(), (Floats{0, 1, 2}));
}

// What a function returns in a list must not change with what it was given.
TEST(ListFace, AFunctionsListHoldsNoMemoryOfItsArguments) {
  auto keep = function([](Tensor x) { return List(f32).append(x).tensor(); });
  Tensor x = constant({1.f, 2.f});
  List held(keep(x), f32);
  auto nest = function(
      [](Tensor y) { return List(list).append(List::of(y)).tensor(); });
  List nested(nest(x), list);
  x.add_(10.f);
  EXPECT_EQ(held[0].to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(nested.get_list(0, f32)[1].item<float>(), 2);
}

}  // namespace
}  // namespace sluice
