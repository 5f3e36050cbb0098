// A tensor in if, while, &&, || and ! means its element, or is refused.
#include "sluice/eager/tensor.h"
#include "sluice/front/front_test_util.h"
#include "sluice/front/function.h"

namespace sluice {
namespace {

TEST(TensorTruth, ATensorMeansItsElement) {
  Tensor x = constant(2.f);
  EXPECT_TRUE(x > 0);
  EXPECT_FALSE(x < 0) << "the result of x < 0 holds something: false";
  EXPECT_TRUE(!(x < 0));
  EXPECT_TRUE((x > 0) && (x < 3));
  EXPECT_FALSE((x < 0) || (x > 3));
  EXPECT_TRUE(constant({{3}})) << "one element of any rank";
  int steps = 0;
  for (Tensor left = constant(8.f); left > 1; left = left / 2) ++steps;
  EXPECT_EQ(steps, 3);
}

TEST(TensorTruth, OfEveryType) {
  for (DType dtype : {f32, f64, DType::kF16, DType::kBF16, DType::kI8,
                      DType::kI16, i32, i64, DType::kU8, DType::kU16,
                      DType::kU32, DType::kU64, DType::kBool, DType::kC64}) {
    SCOPED_TRACE(DTypeName(dtype));
    EXPECT_TRUE(cast(constant(1.f), dtype));
    EXPECT_FALSE(cast(constant(0.f), dtype));
  }
  EXPECT_FALSE(constant(-0.f));
  EXPECT_TRUE(constant(std::nanf("")));
  EXPECT_TRUE(constant("a"));
  EXPECT_FALSE(constant(""));
}

TEST(TensorTruth, SeveralElementsAndNoneAreRefused) {
  Contains(ErrorOf([] { (void)bool(constant({1.f, 0.f})); }),
           "neither true nor false; wanted one element");
  Contains(ErrorOf([] { (void)bool(zeros({0})); }), "wanted one element");
  Contains(ErrorOf([] { (void)bool(Tensor()); }), "holds nothing");
  EXPECT_FALSE(Tensor().defined());
  EXPECT_TRUE(constant(0.f).defined());
}

TEST(TensorTruth, WhileRecordingItIsRefusedWithTheLine) {
  auto relu = function([](const Tensor& x) { return x > 0 ? x : x * 0; });
  std::string error = ErrorOf([&] { relu(constant(1.f)); });
  Contains(error, "cond()");
  Contains(error, "tensor_truth_test.cc:");

  Graph graph;
  GraphScope scope(graph);
  Tensor y = placeholder(f32, {}, "y");
  error = ErrorOf([&] { (void)(y > 0 && y < 1); });
  Contains(error, "while_loop()");
  Contains(error, "tensor_truth_test.cc:");
}

}  // namespace
}  // namespace sluice
