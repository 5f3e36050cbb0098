#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 1));
  return shapes::same_as_first(c);
}

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  int64_t n = x.num_elements();
  SL_RETURN_IF_ERROR(CheckIndices(ctx, 0, n));
  Status status;
  DispatchIndex(x.dtype(), [&]<class I>() {
    const I* from = x.data<I>();
    I* to = ctx.out(0).mutable_data<I>();
    std::fill_n(to, n, I{-1});
    for (int64_t i = 0; i < n; ++i) {
      if (to[from[i]] >= 0) {
        status = ctx.Error(StrCat("x[", i, "] is ", int64_t{from[i]}, ", as x[",
                                  int64_t{to[from[i]]},
                                  "]; wanted every index once"));
        return;
      }
      to[from[i]] = static_cast<I>(i);
    }
  });
  return status;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray y = in[0];
  for (size_t i = 0; i < y.v.size(); ++i) {
    y.v[static_cast<size_t>(in[0].v[i])] = static_cast<double>(i);
  }
  return {y};
}

}  // namespace

SL_OP(InvertPermutation)
    .doc("The permutation that undoes x: y[x[i]] = i.")
    .input("x: I")
    .output("y: I")
    .types("I", kIndices)
    .shape(Infer)
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {Array::Vector<int32_t>({2, 0, 3, 1})}},
              {.in = {Array::Vector<int64_t>({1, 2, 0})}},
              {.in = {Array::Vector<int64_t>({0})}},
              {.in = {{0}}}})
    .rejects({{.in = {Array::Vector<int64_t>({0, 1, 0})},
               .message = "[InvertPermutation] x[2] is 0, as x[0]; wanted "
                          "every index once"},
              {.in = {Array::Vector<int64_t>({0, 2})},
               .message = "[InvertPermutation] x[1] is 2; wanted 0 <= index < "
                          "2"},
              {.in = {Array::Vector<int32_t>({INT32_MIN})},
               .message = "[InvertPermutation] x[0] is -2147483648; wanted"},
              {.in = {Array::Zeros(DType::kI64, {1, 1})},
               .message = "[InvertPermutation] x is i64[1,1]; wanted rank 1"}});

}  // namespace sluice
