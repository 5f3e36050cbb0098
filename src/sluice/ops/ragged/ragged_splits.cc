#include "sluice/ops/ragged/splits.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

using namespace ragged;

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(1, 1));
  SL_RETURN_IF_ERROR(EndOfRows(c, 0, FirstDim(c.in(1))).status());
  c.set_out(0, c.in(0));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &splits = ctx.in(0), &y = ctx.out(0);
  Status status;
  DispatchIndex(splits.dtype(), [&]<class I>() {
    const I* from = splits.data<I>();
    auto n = static_cast<size_t>(splits.num_elements());
    status = CheckSplits<KernelContext, I>(ctx, 0, {from, n}, ctx.in(1).dim(0));
    if (status.ok()) std::copy_n(from, n, y.mutable_data<int64_t>());
  });
  return status;
}

std::vector<Reject> Rejects() {
  auto out = SplitsRejects("RaggedSplits", {{}, {3}}, 0) +
             std::vector<Reject>{
                 {.in = {Splits({0, 2, 4}), {5}},
                  .message = "[RaggedSplits] splits[2] is 4; wanted 5, the "
                             "number of values"},
                 {.in = {Array::Vector<int32_t>({0, 7}), {5, 2}},
                  .message = "[RaggedSplits] splits[1] is 7; wanted 5, the"},
                 {.in = {Splits({0, 1}), Shape()},
                  .message = "[RaggedSplits] values is f32[]; wanted rank 1"}};
  return out;
}

}  // namespace

SL_OP(RaggedSplits)
    .doc(
        "The splits of a ragged array, checked: row r is values[splits[r], "
        "splits[r + 1]), so they begin at 0, never fall and end at the number "
        "of values. One number more than there are rows.")
    .input("splits: I")
    .input("values: T")
    .output("y: i64")
    .types("I", kIndices)
    .types("T", kAnyData)
    .shape(Infer)
    .cpu(Launch)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{in[0]};
    })
    .samples({{.in = {Splits({0, 2, 2, 5}), {5}}},
              {.in = {Array::Vector<int32_t>({0, 0, 4, 4}), {4, 3}}},
              {.in = {Splits({0}), {0, 2}}},
              {.in = {ManySplits(5000, 40000), {40000}},
               .only = {DType::kF32}}})
    .rejects(Rejects());

}  // namespace sluice
