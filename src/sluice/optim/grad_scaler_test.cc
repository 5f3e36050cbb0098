// Mixed precision in training: Autocast against casts by hand, GradScaler.
#include "sluice/optim/grad_scaler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sluice/sluice.h"

namespace sluice {
namespace {

TEST(Autocast, CastsAsOneWouldByHand) {
  Tensor x = reshape(cos(range(0.0f, 32.0f, 1.0f)), {4, 8});
  Tensor w = reshape(sin(range(0.0f, 24.0f, 1.0f)), {8, 3});
  Tensor by_hand =
      cast(matmul(cast(x, DType::kBF16), cast(w, DType::kBF16)), DType::kF32);
  Tensor low, total;
  {
    Autocast on(DType::kBF16);
    EXPECT_EQ(autocast_type(), DType::kBF16);
    low = matmul(x, w);
    total = sum(low);
    Autocast off(DType::kBF16, /*enabled=*/false);
    EXPECT_EQ(matmul(x, w).dtype(), DType::kF32);
  }
  EXPECT_EQ(autocast_type(), DType::kInvalid);
  EXPECT_EQ(low.dtype(), DType::kBF16);
  EXPECT_EQ(total.dtype(), DType::kF32);
  EXPECT_EQ(cast(low, DType::kF32).to_vector<float>(),
            by_hand.to_vector<float>());
  EXPECT_THROW(Autocast wrong(DType::kF32), Error);
}

TEST(GradScaler, LeavesOutStepsThatOverflow) {
  Tensor w = full({2}, 1.0f).requires_grad_();
  optim::SGD sgd({w}, {.lr = 0.5});
  optim::GradScaler scaler({.init_scale = 8, .growth_interval = 1});
  scaler.scale(sum(w)).backward();
  EXPECT_EQ(w.grad().to_vector<float>(), (std::vector<float>{8, 8}));
  EXPECT_TRUE(scaler.step(sgd));
  EXPECT_EQ(w.to_vector<float>(), (std::vector<float>{0.5, 0.5}));
  scaler.update();
  EXPECT_EQ(scaler.get_scale(), 16);

  sgd.zero_grad();
  float huge = std::numeric_limits<float>::max();
  scaler.scale(sum(w * huge)).backward();
  EXPECT_FALSE(scaler.step(sgd));
  EXPECT_EQ(w.to_vector<float>(), (std::vector<float>{0.5, 0.5}));
  scaler.update();
  EXPECT_EQ(scaler.get_scale(), 8);
  scaler.unscale_(sgd);
  EXPECT_THROW(scaler.unscale_(sgd), Error);
}

TEST(GradScaler, GoesOnFromItsState) {
  Tensor w = full({1}, 1.0f).requires_grad_();
  optim::SGD sgd({w}, {.lr = 0.5});
  optim::GradScaler scaler({.init_scale = 8, .growth_interval = 2}), other;
  auto train = [&](optim::GradScaler& by) {
    sgd.zero_grad();
    by.scale(sum(w)).backward();
    by.step(sgd);
    by.update();
  };
  train(scaler);
  other.load_state_dict(scaler.state_dict());
  EXPECT_EQ(other.get_scale(), 8);
  train(other);
  EXPECT_EQ(other.get_scale(), 16) << "the second of two good steps";
  scaler.update(3);
  EXPECT_EQ(scaler.get_scale(), 3);

  optim::GradScaler off({.enabled = false});
  EXPECT_TRUE(off.state_dict().empty());
  off.load_state_dict(scaler.state_dict());
  EXPECT_EQ(off.get_scale(), 1);
  EXPECT_THROW(scaler.load_state_dict(off.state_dict()), Error);
}

TEST(GradScaler, RefusesWhatIsOutOfTurn) {
  Tensor w = full({1}, 1.0f).requires_grad_();
  optim::SGD sgd({w}, {.lr = 0.5});
  optim::GradScaler scaler({.init_scale = 8});
  EXPECT_THROW(scaler.update(), Error);
  scaler.scale(sum(w)).backward();
  EXPECT_TRUE(scaler.step(sgd));
  EXPECT_THROW(scaler.step(sgd), Error);
  EXPECT_EQ(w.item<float>(), 0.5);
  scaler.update();
  EXPECT_THROW(optim::GradScaler({.growth_factor = NAN}), Error);
}

}  // namespace
}  // namespace sluice
