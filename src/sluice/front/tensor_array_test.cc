// The rules of write-once arrays, imperatively and in graphs.
#include "sluice/front/tensor_array.h"

#include "sluice/front/front_test_util.h"
#include "sluice/tensor/list.h"

namespace sluice {
namespace {

using Floats = std::vector<float>;

TEST(TensorArrayFace, WritesAndReads) {
  TensorArray ta(f32, 3);
  ta = ta.write(0, {1.f, 2.f}).write(2, {5.f, 6.f});
  EXPECT_EQ(ta.size().item<int64_t>(), 3);
  EXPECT_EQ(ta.stack().to_vector<float>(), (Floats{1, 2, 0, 0, 5, 6}));
  EXPECT_EQ(ta.gather({2, 0}).to_vector<float>(), (Floats{5, 6, 1, 2}));
  EXPECT_EQ(ta.concat().to_vector<float>(), (Floats{1, 2, 0, 0, 5, 6}));
  EXPECT_EQ(ta.read(2).to_vector<float>(), (Floats{5, 6}));
  EXPECT_EQ(ta.read(1).to_vector<float>(), (Floats{0, 0})) << "never written";
}

TEST(TensorArrayFace, AnIndexIsWrittenOnce) {
  TensorArray ta(f32, 3);
  ta = ta.write(1, 1.f);
  Contains(ErrorOf([&] { (void)ta.write(1, 2.f); }),
           "index 1 has already been written to");
  Contains(ErrorOf([&] { (void)ta.unstack({1.f, 2.f}); }),
           "index 1 has already been written to");
  Contains(ErrorOf([&] { (void)ta.scatter({0, 1}, {1.f, 2.f}); }),
           "index 1 has already been written to");
  Contains(ErrorOf([&] { (void)ta.scatter({0, 0}, {1.f, 2.f}); }),
           "index 0 has already been written to");
  EXPECT_EQ(ta.write(0, 5.f).stack().to_vector<float>(), (Floats{5, 1, 0}));
}

TEST(TensorArrayFace, AnElementIsReadOnceUnlessItIsKept) {
  TensorArray ta = TensorArray(f32, 2).write(0, 1.f).write(1, 2.f);
  TensorArray before = ta;
  EXPECT_EQ(ta.read(0).item<float>(), 1);
  Contains(ErrorOf([&] { (void)ta.read(0); }),
           "element 0 has already been read");
  Contains(ErrorOf([&] { (void)ta.write(0, 3.f); }),
           "index 0 has already been read");
  EXPECT_EQ(before.read(0).item<float>(), 1) << "another array";

  TensorArray kept =
      TensorArray(f32, 1, {.clear_after_read = false}).write(0, 1.f);
  EXPECT_EQ(kept.read(0).item<float>(), 1);
  EXPECT_EQ(kept.read(0).item<float>(), 1);
}

TEST(TensorArrayFace, TheSizeIsFixedUnlessItIsDynamic) {
  TensorArray ta(f32, 2);
  Contains(ErrorOf([&] { (void)ta.write(2, 1.f); }),
           "index is 2; wanted 0 <= index < 2");
  Contains(ErrorOf([&] { (void)ta.write(-1, 1.f); }),
           "index is -1; wanted 0 <= index < 2");
  Contains(ErrorOf([&] { (void)ta.read(2); }),
           "index is 2; wanted 0 <= index < 2");
  Contains(ErrorOf([&] { (void)ta.unstack({1.f, 2.f, 3.f}); }),
           "from has 3 elements; wanted at most 2");
  Contains(ErrorOf([&] { (void)ta.split({1.f, 2.f, 3.f}, {1, 1, 1}); }),
           "from has 3 elements; wanted at most 2");
  Contains(ErrorOf([&] { (void)ta.scatter({5}, {1.f}); }), "index is 5");
  TensorArray grows(f32, 0, {.dynamic_size = true});
  grows = grows.write(0, 1.f).write(3, 2.f);
  EXPECT_EQ(grows.stack().to_vector<float>(), (Floats{1, 0, 0, 2}));
  Contains(ErrorOf([&] { (void)grows.write(-1, 1.f); }), "index is -1");
}

TEST(TensorArrayFace, TakesTensorsApart) {
  TensorArray rows = TensorArray(f32, 2).unstack({{1.f, 2.f}, {3.f, 4.f}});
  EXPECT_EQ(rows.element_shape(), (PartialShape{2}));
  EXPECT_EQ(rows.read(1).to_vector<float>(), (Floats{3, 4}));
  TensorArray parts = TensorArray(f32, 2).split({1.f, 2.f, 3.f}, {1, 2});
  EXPECT_EQ(parts.concat().to_vector<float>(), (Floats{1, 2, 3}));
  EXPECT_EQ(parts.read(1).to_vector<float>(), (Floats{2, 3}));
  TensorArray placed = TensorArray(f32, 3).scatter({2, 0}, {1.f, 2.f});
  EXPECT_EQ(placed.stack().to_vector<float>(), (Floats{2, 0, 1}));
}

TEST(TensorArrayFace, TypesAndShapesAreChecked) {
  TensorArray ta(f32, 2);
  Contains(ErrorOf([&] { (void)ta.write(0, constant({1, 2})); }),
           "the element is i32[2]; wanted f32");
  TensorArray two = ta.write(0, {1.f, 2.f});
  Contains(ErrorOf([&] { (void)two.write(1, {1.f, 2.f, 3.f}); }),
           "TensorArray::write: the element is f32[3]; wanted f32[2] as the "
           "others");
  TensorArray known(f32, 2, {.element_shape = {any, 2}});
  Contains(ErrorOf([&] { (void)known.write(0, constant({1.f, 2.f})); }),
           "the element is f32[2]; wanted f32[?,2]");
  TensorArray mixed(f32, 2, {.infer_shape = false});
  mixed = mixed.write(0, 1.f).write(1, {1.f, 2.f});
  Contains(ErrorOf([&] { (void)mixed.stack(); }),
           "element 1 is f32[2]; wanted f32[] as element 0");
  TensorArray blank(f32, 1);
  Contains(ErrorOf([&] { (void)blank.read(0); }),
           "element 0 was never written and only f32[...] is known");
}

TEST(TensorArrayFace, CannotBeUsedWhenClosed) {
  TensorArray ta = TensorArray(f32, 1).write(0, 1.f);
  ta.close();
  Contains(ErrorOf([&] { (void)ta.size(); }), "has been closed");
  Contains(ErrorOf([&] { (void)ta.read(0); }), "has been closed");
  Contains(ErrorOf([&] { (void)ta.write(0, 1.f); }), "has been closed");
  ta.close();
}

TEST(TensorArrayFace, ARefusedWriteLosesNothing) {
  TensorArray ta = TensorArray(f32, 1).write(0, 1.f);
  (void)ErrorOf([&] { (void)std::move(ta).write(0, 2.f); });
  EXPECT_EQ(ta.read(0).item<float>(), 1);
}

TEST(TensorArrayFace, MovedWritesCopyNothing) {
  TensorArray ta(f32, 1000);
  int64_t before = ListValue::copies();
  for (int i = 0; i < 1000; ++i) ta = std::move(ta).write(i, 1.f);
  for (int i = 0; i < 1000; ++i) (void)ta.read(i);
  EXPECT_EQ(ListValue::copies(), before);
}

// The running sum of a sequence, written and read through loops.
Tensor RunningSum(const Tensor& x, const Tensor& n) {
  TensorArray in = TensorArray(f32, n, {.element_shape = Shape()}).unstack(x);
  TensorArray out(f32, n, {.element_shape = Shape()});
  auto [i, sum, from, to] = while_loop(
      [&](Tensor k, Tensor, TensorArray, TensorArray) { return k < n; },
      [](Tensor k, Tensor s, TensorArray a, TensorArray b) {
        Tensor next = s + a.read(k);
        return std::tuple(k + 1, next, a, b.write(k, next));
      },
      int64_t{0}, 0.f, in, out);
  return to.stack();
}

TEST(TensorArrayFace, IsCarriedByLoops) {
  EXPECT_EQ(RunningSum(constant({1.f, 2.f, 3.f}), constant(int64_t{3}))
                .to_vector<float>(),
            (Floats{1, 3, 6}));
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(f32, {any}, "x"), n = placeholder(i64, Shape(), "n");
  Tensor y = RunningSum(x, n);
  Session session(graph);
  EXPECT_EQ(Elements<float>(session.run(y, {{x, {1.f, 2.f, 3.f}}, {n, 3}})),
            (Floats{1, 3, 6}));
  // Shorter than the loop goes: the rule that was broken, and where.
  std::string error =
      ErrorOf([&] { (void)session.run(y, {{x, {1.f, 2.f, 3.f}}, {n, 2}}); });
  Contains(error, "[ListWriteAll] from has 3 elements; wanted at most 2");
}

TEST(TensorArrayFace, TwoWritesOfOneIndexInALoopSayWhichIteration) {
  Graph graph;
  GraphScope building(graph);
  Tensor n = placeholder(i64, Shape(), "n");
  auto [i, ta] =
      while_loop([&](Tensor k, TensorArray) { return k < n; },
                 [](Tensor k, TensorArray a) {
                   return std::tuple(k + 1, a.write(0, 1.f));
                 },
                 int64_t{0}, TensorArray(f32, 3, {.element_shape = Shape()}));
  Tensor all = ta.stack();
  Session session(graph);
  EXPECT_EQ(Elements<float>(session.run(all, {{n, 1}})), (Floats{1, 0, 0}));
  std::string error = ErrorOf([&] { (void)session.run(all, {{n, 2}}); });
  Contains(error, "index 0 has already been written to");
  Contains(error, "in iteration 1");
}

}  // namespace
}  // namespace sluice
