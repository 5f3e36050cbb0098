// Ops that move elements without looking inside them, on a GPU: joined, cut,
// repeated, rolled, padded.
#include <algorithm>
#include <vector>

#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/join.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/kernels/cut_view.h"
#include "sluice/kernels/pad_mode.h"
#include "sluice/kernels/space_depth_moves.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

int64_t AxisOf(const KernelContext& ctx, int rank) {
  int64_t axis = ctx.attr<int64_t>("axis");
  return axis < 0 ? axis + rank : axis;
}

char* Bytes(const Array& array) { return AddressOf<char>(array); }

int64_t StepOf(const Array& array, int64_t axis) {
  return array.strides()[static_cast<size_t>(axis)] * DTypeSize(array.dtype());
}

// `array`'s strides without an axis: the layout of one slice.
Strides Without(const Array& array, int64_t axis) {
  Strides strides{};
  for (int i = 0, k = 0; i < array.rank(); ++i) {
    if (i == axis) continue;
    strides[static_cast<size_t>(k++)] = array.strides()[static_cast<size_t>(i)];
  }
  return strides;
}

// From this number on one launch for all parts pays off.
constexpr int kFewParts = 3;

// Parts whose layout is the same in the whole along the axis: they are moved
// together. Empty parts are omitted.
bool Together(std::span<const Array> all, std::vector<Array>* parts) {
  for (const Array& part : all) {
    if (!part.contiguous()) return false;
    if (part.num_elements() > 0) parts->push_back(part);
  }
  return parts->size() >= kFewParts;
}

// The number of rows of an array that is cut along the axis.
int64_t RowsBefore(const Array& array, int64_t axis) {
  int64_t rows = 1;
  for (int i = 0; i < axis; ++i) rows *= array.dim(i);
  return rows;
}

std::vector<Array> InputsOf(const KernelContext& ctx) {
  std::vector<Array> all;
  for (int i = 0; i < ctx.num_inputs(); ++i) all.push_back(ctx.in(i));
  return all;
}
std::vector<Array> OutputsOf(const KernelContext& ctx) {
  std::vector<Array> all;
  for (int i = 0; i < ctx.num_outputs(); ++i) all.push_back(ctx.out(i));
  return all;
}

Status Concat(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  if (y.num_elements() == 0) return OkStatus();
  int64_t axis = AxisOf(ctx, y.rank());
  if (std::vector<Array> parts; Together(InputsOf(ctx), &parts)) {
    return JoinOnGpu(ctx, RowsBefore(y, axis), y, parts, /*back=*/false);
  }
  char* to = Bytes(y);
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const Array& x = ctx.in(i);
    SL_RETURN_IF_ERROR(CopyRegionOnGpu(ctx, y.dtype(), x.shape(), AddressOf(x),
                                       x.strides(), to, y.strides()));
    to += x.dim(static_cast<int>(axis)) * StepOf(y, axis);
  }
  return OkStatus();
}

// Input 0 cut along an axis: Split, SplitV, ConcatGrad.
Status Cut(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  if (x.num_elements() == 0) return OkStatus();
  int64_t axis = AxisOf(ctx, x.rank());
  if (std::vector<Array> parts;
      x.contiguous() && Together(OutputsOf(ctx), &parts)) {
    return JoinOnGpu(ctx, RowsBefore(x, axis), x, parts, /*back=*/true);
  }
  const char* from = Bytes(x);
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    const Array& y = ctx.out(i);
    SL_RETURN_IF_ERROR(CopyRegionOnGpu(ctx, x.dtype(), y.shape(), from,
                                       x.strides(), AddressOf(y), y.strides()));
    from += y.dim(static_cast<int>(axis)) * StepOf(x, axis);
  }
  return OkStatus();
}

Status Stack(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  if (y.num_elements() == 0) return OkStatus();
  int64_t axis = AxisOf(ctx, y.rank());
  if (std::vector<Array> parts; Together(InputsOf(ctx), &parts)) {
    return JoinOnGpu(ctx, RowsBefore(y, axis), y, parts, /*back=*/false);
  }
  Strides strides = Without(y, axis);
  char* to = Bytes(y);
  for (int i = 0; i < ctx.num_inputs(); ++i, to += StepOf(y, axis)) {
    const Array& x = ctx.in(i);
    SL_RETURN_IF_ERROR(CopyRegionOnGpu(ctx, y.dtype(), x.shape(), AddressOf(x),
                                       x.strides(), to, strides));
  }
  return OkStatus();
}

Status Unstack(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  if (x.num_elements() == 0) return OkStatus();
  int64_t axis = AxisOf(ctx, x.rank());
  if (std::vector<Array> parts;
      x.contiguous() && Together(OutputsOf(ctx), &parts)) {
    return JoinOnGpu(ctx, RowsBefore(x, axis), x, parts, /*back=*/true);
  }
  Strides strides = Without(x, axis);
  const char* from = Bytes(x);
  for (int i = 0; i < ctx.num_outputs(); ++i, from += StepOf(x, axis)) {
    const Array& y = ctx.out(i);
    SL_RETURN_IF_ERROR(CopyRegionOnGpu(ctx, x.dtype(), y.shape(), from, strides,
                                       AddressOf(y), y.strides()));
  }
  return OkStatus();
}

Status Meshgrid(KernelContext& ctx) {
  bool swap = ctx.attr<std::string>("indexing") == "xy" && ctx.num_inputs() > 1;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const Array &x = ctx.in(i), &y = ctx.out(i);
    Strides strides{};
    int axis = swap && i < 2 ? 1 - i : i;
    strides[static_cast<size_t>(axis)] = x.rank() == 0 ? 0 : x.strides()[0];
    SL_RETURN_IF_ERROR(CopyRegionOnGpu(ctx, y.dtype(), y.shape(), AddressOf(x),
                                       strides, AddressOf(y), y.strides()));
  }
  return OkStatus();
}

template <bool to_depth>
Status SpaceDepth(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  if (x.num_elements() == 0) return OkStatus();
  SL_ASSIGN_OR_RETURN(auto moves, space_depth::MovesOf<to_depth>(ctx));
  return CopyRegionOnGpu(ctx, x.dtype(), moves.shape, AddressOf(x), moves.from,
                         AddressOf(y), moves.to);
}

// `part` where the cuts show it in `y`.
Status PutCut(KernelContext& ctx, const Attrs& cuts, const Array& part,
              const Array& y) {
  Array shown;
  if (!cut_axis::CutView(y, cuts, &shown) || !(shown.shape() == part.shape())) {
    return ctx.Error("cannot be formed from its inputs");
  }
  return CopyAllOnGpu(ctx, part, shown);
}

Status StridedSliceGrad(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(FillOnGpu(ctx, ctx.out(0), 0));
  return PutCut(ctx, ctx.attrs(), ctx.in(0), ctx.out(0));
}
Status SliceAxisGrad(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(FillOnGpu(ctx, ctx.out(0), 0));
  return PutCut(ctx, slice_axis::CutsOf(ctx.out(0).rank(), ctx, 2), ctx.in(0),
                ctx.out(0));
}

Status CopyFirst(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  return x.address() == y.address() ? OkStatus() : CopyAllOnGpu(ctx, x, y);
}

Status StridedSliceUpdate(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(CopyFirst(ctx));
  return PutCut(ctx, ctx.attrs(), ctx.in(1), ctx.out(0));
}
Status SliceAxisUpdate(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(CopyFirst(ctx));
  return PutCut(ctx, slice_axis::CutsOf(ctx.out(0).rank(), ctx, 2), ctx.in(1),
                ctx.out(0));
}

Status Pad(KernelContext& ctx) {
  const auto& pads = ctx.attr<Ints>("paddings");
  Ints before;
  for (size_t i = 0; i < pads.size(); i += 2) before.push_back(pads[i]);
  return RemapOnGpu(ctx, pad_mode::ModeOf(ctx.attrs()), ctx.in(0), before,
                    ctx.attr<double>("value"), ctx.out(0));
}

Status Tile(KernelContext& ctx) {
  Ints before(static_cast<size_t>(ctx.in(0).rank()), 0);
  return RemapOnGpu(ctx, AxisSource::kRepeat, ctx.in(0), before, 0, ctx.out(0));
}

// `shift` as a step of 0 to n - 1.
int64_t Within(int64_t shift, int64_t n) {
  shift %= n;
  return shift < 0 ? shift + n : shift;
}

Status Roll(KernelContext& ctx) {
  Array x = ctx.in(0), y = ctx.out(0);
  if (x.num_elements() == 0) return OkStatus();
  const auto& shifts = ctx.attr<Ints>("shifts");
  const auto& axes = ctx.attr<Ints>("axes");
  Ints by(static_cast<size_t>(x.rank()), 0);
  if (axes.empty()) {
    // Treated as one long row.
    x = x.WithShape({x.num_elements()});
    y = y.WithShape({x.num_elements()});
    by = {shifts.empty() ? 0 : Within(shifts[0], x.num_elements())};
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    auto a = static_cast<int>(axes[i] < 0 ? axes[i] + x.rank() : axes[i]);
    int64_t& moved = by[static_cast<size_t>(a)];
    moved = Within(moved + Within(shifts[i], x.dim(a)), x.dim(a));
  }
  return RemapOnGpu(ctx, AxisSource::kWrap, x, by, 0, y);
}

SL_KERNEL(Concat, kCuda, Kernel{.launch = Concat, .strided_inputs = true});
SL_KERNEL(ConcatGrad, kCuda, Kernel{.launch = Cut, .strided_inputs = true});
SL_KERNEL(Split, kCuda, Kernel{.launch = Cut, .strided_inputs = true});
SL_KERNEL(SplitV, kCuda, Kernel{.launch = Cut, .strided_inputs = true});
SL_KERNEL(Stack, kCuda, Kernel{.launch = Stack, .strided_inputs = true});
SL_KERNEL(Unstack, kCuda, Kernel{.launch = Unstack, .strided_inputs = true});
SL_KERNEL(Meshgrid, kCuda, Kernel{.launch = Meshgrid, .strided_inputs = true});
SL_KERNEL(SpaceToDepth, kCuda, Kernel{.launch = SpaceDepth<true>});
SL_KERNEL(DepthToSpace, kCuda, Kernel{.launch = SpaceDepth<false>});
SL_KERNEL(StridedSliceGrad, kCuda,
          Kernel{.launch = StridedSliceGrad, .strided_inputs = true});
SL_KERNEL(StridedSliceUpdate, kCuda,
          Kernel{.launch = StridedSliceUpdate, .in_place = true});
SL_KERNEL(SliceAxisGrad, kCuda,
          Kernel{.launch = SliceAxisGrad,
                 .strided_inputs = true,
                 .host_inputs = 12});
SL_KERNEL(SliceAxisUpdate, kCuda,
          Kernel{
              .launch = SliceAxisUpdate, .in_place = true, .host_inputs = 12});
SL_KERNEL(Pad, kCuda, Kernel{.launch = Pad});
SL_KERNEL(Tile, kCuda, Kernel{.launch = Tile});
SL_KERNEL(Roll, kCuda, Kernel{.launch = Roll});

}  // namespace
}  // namespace sluice
