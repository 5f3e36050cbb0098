#include "sluice/op/known_shapes.h"

#include <gtest/gtest.h>

#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"

namespace sluice {
namespace {

std::unique_ptr<KnownShapes> Known(const char* op, const Attrs& attrs,
                                   const std::vector<DType>& dtypes,
                                   const std::vector<PartialShape>& in) {
  ResolvedCall call = *ResolveCall(*FindOp(op), attrs, dtypes);
  return KnownShapes::Of(*FindOp(op), call.attrs, dtypes, in, call.out_dtypes);
}

const std::vector<DType> kRows = {DType::kF32, DType::kI64};

TEST(KnownShapes, FollowFromTheShapesOfTheInputs) {
  auto known = Known("Gather", {}, kRows, {Shape{5, 3}, Shape{2}});
  ASSERT_TRUE(known);
  EXPECT_EQ(known->out(0), (Shape{2, 3}));
  Array table = Array::Zeros(DType::kF32, {5, 3});
  Array two = Array::Zeros(DType::kI64, {2});
  Array four = Array::Zeros(DType::kI64, {4});
  EXPECT_TRUE(known->Fits(std::vector<Array>{table, two}));
  EXPECT_FALSE(known->Fits(std::vector<Array>{table, four}));
  EXPECT_FALSE(known->Fits(std::vector<Array>{table}));
}

TEST(KnownShapes, NoneWhereSomethingIsOpen) {
  EXPECT_FALSE(Known("Gather", {}, kRows, {PartialShape{any, 3}, Shape{2}}));
  EXPECT_FALSE(Known("Gather", {}, kRows, {PartialShape(), Shape{2}}));
  // Rejected: a table has rows.
  EXPECT_FALSE(Known("Gather", {}, kRows, {Shape(), Shape{2}}));
  // How often is a matter of elements.
  EXPECT_FALSE(Known("Repeat", {}, kRows, {Shape{3}, Shape{3}}));
}

// This op's shape function gives the same shape for all ids, but rejects some
// ids.
Status WantsPositive(ShapeContext& c) {
  c.set_out(0, c.in(0));
  const Array* value = c.value(0);
  if (value && value->data<int64_t>()[0] < 0) return c.Error("below zero");
  return OkStatus();
}

TEST(KnownShapes, NoneWhereElementsAreLookedAt) {
  OpRecord op = *FindOp("Identity");
  const DType dtype = DType::kI64;
  const PartialShape shape = Shape{1};
  auto of = [&] {
    return KnownShapes::Of(op, {}, {&dtype, 1}, {&shape, 1}, {&dtype, 1});
  };
  EXPECT_TRUE(of());
  op.shape = WantsPositive;
  EXPECT_FALSE(of());
}

// Unexpected input shapes make the shape function run again.
TEST(KnownShapes, OtherInputsAreNotTrusted) {
  auto known = Known("Gather", {}, kRows, {Shape{5, 3}, Shape{2}});
  const std::vector<Array> inputs = {Array::Zeros(DType::kF32, {5, 3}),
                                     Array::Zeros(DType::kI64, {4})};
  const DType dtype = DType::kF32;
  ResolvedCall call = *ResolveCall(*FindOp("Gather"), {}, kRows);
  std::vector<Array> out(1);
  ASSERT_TRUE(AllocateOutputs(*FindOp("Gather"), call.attrs, inputs,
                              {&dtype, 1}, out, nullptr, false, known.get())
                  .ok());
  EXPECT_EQ(out[0].shape(), (Shape{4, 3}));
}

}  // namespace
}  // namespace sluice
