// Shared by tests of list ops: calls an op by its name on arrays.
#pragma once

#include <gtest/gtest.h>

#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"
#include "sluice/tensor/list.h"

namespace sluice {

class ListOps : public ::testing::Test {
 protected:
  static Array I(int64_t i) { return Array::Scalar(i); }
  static Array F(float f) { return Array::Scalar(f); }

  static Result<std::vector<Array>> Try(const char* op, std::vector<Array> in,
                                        Attrs attrs = {}) {
    return RunOp(*FindOp(op), attrs, in);
  }
  static std::vector<Array> RunAll(const char* op, std::vector<Array> in,
                                   Attrs attrs = {}) {
    auto out = Try(op, std::move(in), std::move(attrs));
    EXPECT_TRUE(out.ok()) << out.status().ToString();
    return out.ok() ? *out : std::vector<Array>(4);
  }
  static Array Run(const char* op, std::vector<Array> in, Attrs attrs = {}) {
    return RunAll(op, std::move(in), std::move(attrs))[0];
  }
  static std::string ErrorOf(const char* op, std::vector<Array> in,
                             Attrs attrs = {}) {
    return Try(op, std::move(in), std::move(attrs)).status().message();
  }
  // Calls the op like an executor that gives up its inputs.
  static Status Give(const char* op, std::vector<Array>& in,
                     std::vector<Array>& out, Attrs given = {}) {
    std::vector<DType> dtypes;
    for (const Array& a : in) dtypes.push_back(a.dtype());
    SL_ASSIGN_OR_RETURN(ResolvedCall call,
                        ResolveCall(*FindOp(op), given, dtypes));
    out.assign(call.out_dtypes.size(), Array());
    NodeInfo node;
    StepContext step;
    Status status = LaunchCpu(*FindOp(op), call.attrs, node, step, in,
                              call.out_dtypes, out);
    in.clear();
    return status;
  }
  // The shape function's result for output i, or its error.
  static std::string ShapeOf(const char* op, std::vector<DType> dtypes,
                             std::vector<PartialShape> shapes, Attrs attrs = {},
                             size_t i = 0) {
    Result<ResolvedCall> call = ResolveCall(*FindOp(op), attrs, dtypes);
    if (!call.ok()) return call.status().message();
    auto out = InferShapes(*FindOp(op), call->attrs, dtypes, shapes, {},
                           call->out_dtypes);
    return out.ok() ? (*out)[i].ToString() : out.status().message();
  }

  static Array NewList(DType dtype, PartialShape shape = {}, int64_t size = 0) {
    return Run("ListNew", {I(size)}, {{"dtype", dtype}, {"shape", shape}});
  }
  static Array Floats(std::initializer_list<float> values) {
    return Run("ListUnstack", {Array::Vector<float>(values)});
  }
  static Array Get(const Array& list, int64_t i, DType dtype = DType::kF32) {
    return Run("ListGet", {list, I(i)}, {{"dtype", dtype}});
  }
  static const Attrs& OfFloats() {
    static const Attrs attrs{{"dtype", DType::kF32}};
    return attrs;
  }
};

}  // namespace sluice
