#include "sluice/ops/ragged/splits.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

using namespace ragged;

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 1));
  int64_t rows = FirstDim(c.in(0));
  SL_ASSIGN_OR_RETURN(PartialShape out,
                      MakeOutShape(c, Ints{rows < 0 ? rows : rows + 1}));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& lengths = ctx.in(0);
  int64_t* splits = ctx.out(0).mutable_data<int64_t>();
  splits[0] = 0;
  Status status;
  DispatchIndex(lengths.dtype(), [&]<class I>() {
    const I* n = lengths.data<I>();
    for (int64_t r = 0; r < lengths.num_elements(); ++r) {
      if (n[r] >= 0 && CheckedAdd(splits[r], int64_t{n[r]}, splits + r + 1)) {
        continue;
      }
      status = ctx.Error(StrCat(
          "lengths[", r, "] is ", int64_t{n[r]},
          n[r] < 0 ? "; wanted 0 or more" : "; wanted fewer values in all"));
      return;
    }
  });
  return status;
}

}  // namespace

SL_OP(RaggedLengthsToSplits)
    .doc(
        "The splits of rows of these lengths: 0, then the sum of all lengths "
        "up to each row.")
    .input("lengths: I")
    .output("splits: i64")
    .types("I", kIndices)
    .shape(Infer)
    .cpu(Launch)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      Ints splits{0};
      for (double n : in[0].v) {
        splits.push_back(splits.back() + static_cast<int64_t>(n));
      }
      return std::vector<RefArray>{RefInts(splits)};
    })
    .samples({{.in = {{5}}, .lo = 0, .hi = 3},
              {.in = {{0}}},
              {.in = {{20000}}, .lo = 0, .hi = 9}})
    .rejects({{.in = {Splits({2, -1})},
               .message = "[RaggedLengthsToSplits] lengths[1] is -1; wanted 0 "
                          "or more"},
              {.in = {Splits({INT64_MAX, 1})},
               .message = "[RaggedLengthsToSplits] lengths[1] is 1; wanted "
                          "fewer values in all"},
              {.in = {Array::Scalar<int32_t>(1)},
               .message = "[RaggedLengthsToSplits] lengths is i32[]; wanted "
                          "rank 1"}});

}  // namespace sluice
