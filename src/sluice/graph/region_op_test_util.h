// Ops with regions and effects but without kernels, for tests of graphs and
// passes. Include it in one file of a test program: including it registers the
// ops.
#pragma once

#include "sluice/op/record.h"

namespace sluice {

SL_OP(TestWhile)
    .doc("Runs body while cond.")
    .input("xs: any*")
    .output("ys: dtypes*")
    .attr("dtypes", AttrKind::kDTypes)
    .attr("parallel", 10)
    .region("cond")
    .region("body")
    .shape(shapes::unknown)
    .structural();

SL_OP(TestIf)
    .doc("One of two regions.")
    .input("p: bool")
    .output("y: dtype")
    .attr("dtype", AttrKind::kDType)
    .region("then")
    .region("else")
    .shape(shapes::unknown)
    .structural();

SL_OP(TestNoOp).doc("Nothing.").shape(shapes::none).structural();

SL_OP(TestDraw)
    .doc("A random number.")
    .output("y: f32")
    .shape(shapes::scalar)
    .random();

SL_OP(TestSay)
    .doc("Says x to the world.")
    .input("x: T")
    .output("y: T")
    .types("T", kPlain)
    .shape(shapes::same_as_first)
    .global_effect("world");

SL_OP(TestAttrs)
    .doc("Has an attribute of every kind.")
    .attr("b", false)
    .attr("i", int64_t{7})
    .attr("f", 0.5)
    .attr("s", "")
    .attr("t", DType::kF32)
    .attr("shape", PartialShape())
    .attr("a", Array::Scalar<int32_t>(0))
    .attr("is", std::vector<int64_t>())
    .attr("fs", std::vector<double>())
    .attr("ss", std::vector<std::string>())
    .attr("ts", std::vector<DType>())
    .attr("shapes", std::vector<PartialShape>())
    .output("y: t")
    .shape(shapes::unknown);

}  // namespace sluice
