// Complex arithmetic beyond the sweep, whose references are real.
#include <gtest/gtest.h>

#include <cmath>

#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"

namespace sluice {
namespace {

complex64 Call(const char* op, std::vector<complex64> args) {
  std::vector<Array> in;
  for (complex64 v : args) in.push_back(Array::Scalar(v));
  auto out = RunOp(*FindOp(op), {}, in);
  EXPECT_TRUE(out.ok()) << out.status().ToString();
  return (*out)[0].data<complex64>()[0];
}

TEST(ComplexOps, Arithmetic) {
  complex64 a(1, 2), b(3, -4);
  EXPECT_EQ(Call("Add", {a, b}), complex64(4, -2));
  EXPECT_EQ(Call("Sub", {a, b}), complex64(-2, 6));
  EXPECT_EQ(Call("Mul", {a, b}), complex64(11, 2));
  EXPECT_EQ(Call("Div", {complex64(11, 2), b}), a);
  EXPECT_EQ(Call("Neg", {a}), complex64(-1, -2));
  EXPECT_EQ(Call("Square", {a}), complex64(-3, 4));
  EXPECT_EQ(Call("AddN", {a, b, a}), complex64(5, 0));
  EXPECT_EQ(Call("Sum", {a}), a);
}

TEST(ComplexOps, QuotientsByZeroAndInfinityAreNotNan) {
  complex64 by_zero = Call("Div", {{1.5f, -2}, {0, 0}});
  EXPECT_EQ(by_zero.real(), HUGE_VALF);
  EXPECT_EQ(by_zero.imag(), -HUGE_VALF);
  EXPECT_EQ(Call("Div", {{1, 1}, {HUGE_VALF, 0}}), complex64(0, 0));
  EXPECT_EQ(Call("Div", {{1, 1}, {0, HUGE_VALF}}), complex64(0, 0));
}

TEST(ComplexOps, EqualityLooksAtBothParts) {
  Array in[] = {Array::Vector<complex64>({{1, 2}, {1, 2}, {1, 2}}),
                Array::Vector<complex64>({{1, 2}, {1, 3}, {0, 2}})};
  Array equal = (*RunOp(*FindOp("Equal"), {}, in))[0];
  EXPECT_TRUE(equal.BitEquals(Array::Vector<bool>({true, false, false})));
}

TEST(ComplexOps, Parts) {
  Array in[] = {
      Array::Vector<complex64>({{3, -4}, {0, HUGE_VALF}, {3e30f, 4e30f}})};
  EXPECT_TRUE((*RunOp(*FindOp("Real"), {}, in))[0].BitEquals(
      Array::Vector<float>({3, 0, 3e30f})));
  EXPECT_TRUE((*RunOp(*FindOp("Imag"), {}, in))[0].BitEquals(
      Array::Vector<float>({-4, HUGE_VALF, 4e30f})));
  EXPECT_TRUE((*RunOp(*FindOp("ComplexAbs"), {}, in))[0].BitEquals(
      Array::Vector<float>({5, HUGE_VALF, 5e30f})));
  EXPECT_EQ(Call("Conj", {{3, -4}}), complex64(3, 4));
  Array parts[] = {Array::Vector<float>({1, 2}), Array::Vector<float>({3, 4})};
  EXPECT_TRUE((*RunOp(*FindOp("MakeComplex"), {}, parts))[0].BitEquals(
      Array::Vector<complex64>({{1, 3}, {2, 4}})));
}

}  // namespace
}  // namespace sluice
