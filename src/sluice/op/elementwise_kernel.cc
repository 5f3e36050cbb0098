#include "sluice/op/elementwise_kernel.h"

#include <algorithm>
#include <cstring>

#include "sluice/op/block_program.h"
#include "sluice/op/record.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

constexpr int64_t kSpread = 256;  // of a single element, to be read as a row

template <class T>
void Spread(const void* element, int64_t n, void* row) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  std::fill_n(static_cast<T*>(row), n, value);
}

void Spread(const void* element, int64_t size, int64_t n, void* row) {
  switch (size) {
    case 1:
      return Spread<uint8_t>(element, n, row);
    case 2:
      return Spread<uint16_t>(element, n, row);
    case 4:
      return Spread<uint32_t>(element, n, row);
    default:
      return Spread<uint64_t>(element, n, row);
  }
}

}  // namespace

bool RunShortRow(const BlockKernel& kernel, std::span<const Array* const> in,
                 const Array& out) {
  int64_t n = out.num_elements();
  if (n > kShortRow) return false;
  bool singles = false;
  const void* data[kMaxBlockInputs] = {};
  for (size_t i = 0; i < in.size(); ++i) {
    const Array& x = *in[i];
    bool row = x.num_elements() == n && x.contiguous();
    if (!row && (x.num_elements() != 1 || DTypeSize(x.dtype()) > 8)) {
      return false;
    }
    singles = singles || !row;
    data[i] = x.raw();
  }
  if (!singles) {
    if (n > 0) kernel.fn(out.mutable_raw(), data, n, kernel.params);
    return true;
  }
  // A single element is replicated over a block, which is read repeatedly.
  alignas(64) unsigned char spread[kMaxBlockInputs][kSpread * 8];
  int64_t block = std::min(n, kSpread), step[kMaxBlockInputs] = {};
  for (size_t i = 0; i < in.size(); ++i) {
    int64_t size = DTypeSize(in[i]->dtype());
    if (in[i]->num_elements() == n) {
      step[i] = block * size;
    } else {
      Spread(data[i], size, block, spread[i]);
      data[i] = spread[i];
    }
  }
  auto* to = static_cast<char*>(out.mutable_raw());
  int64_t out_size = DTypeSize(out.dtype());
  for (int64_t at = 0; at < n; at += block) {
    kernel.fn(to + at * out_size, data, std::min(block, n - at), kernel.params);
    for (size_t i = 0; i < in.size(); ++i) {
      data[i] = static_cast<const char*>(data[i]) + step[i];
    }
  }
  return true;
}

Result<bool> RunElementwise(KernelContext& context) {
  const OpRecord& op = context.op();
  int n = context.num_inputs();
  if (n > kMaxBlockInputs) return false;
  DType dtypes[kMaxBlockInputs];
  for (int i = 0; i < n; ++i) dtypes[i] = context.in(i).dtype();
  const Array& out = context.out(0);
  BlockKernel kernel =
      op.block(context.attrs(), {dtypes, static_cast<size_t>(n)}, out.dtype());
  if (!kernel.fn) return false;
  SL_RETURN_IF_ERROR(RunBlock(context, kernel));
  return true;
}

Status RunBlock(KernelContext& context, const BlockKernel& kernel) {
  int n = context.num_inputs();
  const Array& out = context.out(0);
  if (out.num_elements() == 0) return OkStatus();

  // The common case needs no program: all operands are contiguous and short.
  const Array* in[kMaxBlockInputs] = {};
  for (int i = 0; i < n; ++i) in[i] = &context.in(i);
  if (RunShortRow(kernel, {in, static_cast<size_t>(n)}, out)) return OkStatus();

  BlockProgram program;
  int operands[kMaxBlockInputs];
  void* data[kMaxBlockInputs + 1];
  for (int i = 0; i < n; ++i) {
    const Array& x = context.in(i);
    Strides strides = BroadcastStrides(x, out.shape());
    operands[i] = program.AddInput(
        x.dtype(),
        BlockProgram::AccessFor(x.num_elements(), out.shape(), strides),
        strides);
    data[i] = x.mutable_raw();
  }
  int result = program.AddOutput(out.dtype());
  data[n] = out.mutable_raw();
  program.AddOp(kernel, {operands, static_cast<size_t>(n)}, out.dtype(),
                result);
  program.Finish(out.shape());
  program.Run({data, static_cast<size_t>(n) + 1}, context.step().pool);
  return OkStatus();
}

}  // namespace sluice
