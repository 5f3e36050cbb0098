// Convolutions of integers by the functions of C++, imperative and recorded,
// with what follows them joined to the kernel.
#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

using Longs = std::vector<int64_t>;

// Sums that no double holds.
constexpr int64_t kLarge = int64_t{1} << 60;
const Longs kConvolved = {2 * kLarge + 29, 6 * kLarge - 3, 5, -35};
const Longs kSpread = {3 * kLarge - 6, kLarge + 15, 2, 6, -17, 2};

Tensor Images() {
  return reshape(constant({kLarge, int64_t{1}, int64_t{-5}, int64_t{7},
                           int64_t{2}, int64_t{3}}),
                 {1, 2, 3});
}
Tensor Filters() {
  return reshape(constant({int64_t{3}, int64_t{1}, int64_t{-1}, int64_t{2}}),
                 {1, 2, 2});
}
Tensor Convolved(const Tensor& x, const Tensor& w) {
  return conv1d(x, w, {.padding = {1}}) * int64_t{2} + int64_t{1};
}
Tensor Spread(const Tensor& x, const Tensor& w) {
  return conv_transpose1d(x, w, {.strides = {2}}) + int64_t{1};
}

TEST(IntegerConv, IsTheSameInEveryMode) {
  Tensor x = Images(), w = Filters();
  Tensor now = Convolved(x, w);
  EXPECT_EQ(now.dtype(), DType::kI64);
  EXPECT_EQ(now.to_vector<int64_t>(), kConvolved);
  auto step = function([](Tensor a, Tensor b) { return Convolved(a, b); });
  EXPECT_EQ(step(x, w).to_vector<int64_t>(), kConvolved);

  // Two filters of one channel each, spread over one result.
  Tensor two = reshape(w, {2, 1, 2});
  EXPECT_EQ(Spread(x, two).to_vector<int64_t>(), kSpread);
  auto spread = function([](Tensor a, Tensor b) { return Spread(a, b); });
  EXPECT_EQ(spread(x, two).to_vector<int64_t>(), kSpread);
}

// As everywhere: what an op does not take is computed in i64, never in floats.
TEST(IntegerConv, OtherIntegersAreComputedAsI64) {
  auto line = [](int a, int b) {
    return reshape(cast(constant({a, b}), DType::kU16), {1, 1, 2});
  };
  Tensor y = conv1d(line(300, 7), line(200, 100));
  EXPECT_EQ(y.dtype(), DType::kI64);
  EXPECT_EQ(y.to_vector<int64_t>(), Longs{60700});
}

}  // namespace
}  // namespace sluice
