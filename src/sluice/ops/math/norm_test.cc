// Norm of numbers so large that finite differences cannot check its gradient,
// so they are not samples.
#include <gtest/gtest.h>

#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"

namespace sluice {
namespace {

TEST(Norm, OfNumbersWhoseSquaresAreNoFloats) {
  Array in[] = {Array::Vector<float>({3e30f, -4e30f, 0})};
  auto y = RunOp(*FindOp("Norm"), {{"p", 2.0}}, in);
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  EXPECT_FLOAT_EQ((*y)[0].data<float>()[0], 5e30f);
}

}  // namespace
}  // namespace sluice
