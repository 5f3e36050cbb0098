#include "sluice/kernels/cuda/move.h"

#include <algorithm>
#include <cstring>

#include "sluice/base/small_vector.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/walk.h"

namespace sluice {

namespace {

constexpr int64_t kSide = 32;  // of the tiles of source/copy.cuh
constexpr int64_t kTileThreads = 256;

// Layout as in source/copy.cuh.
struct CopyArgs {
  const void* from = nullptr;
  void* to = nullptr;
  int64_t n = 0;
  int32_t rank = 0;
  int32_t across = 0;
  int64_t size[kMaxWalkRank] = {};
  int64_t stride[2][kMaxWalkRank] = {};
  int64_t tiles[2] = {};
};

bool Aligned(const void* address, int64_t bytes) {
  return reinterpret_cast<uintptr_t>(address) % static_cast<size_t>(bytes) == 0;
}

// Several neighbours as one element, where they stay neighbours.
int64_t Widen(CopyArgs& a, int64_t bytes) {
  if (a.rank == 0 || a.stride[0][0] != 1 || a.stride[1][0] != 1) return bytes;
  int64_t together = 16 / bytes;
  auto fits = [&](int64_t count) {
    bool fit = a.size[0] % count == 0 && Aligned(a.from, count * bytes) &&
               Aligned(a.to, count * bytes);
    for (int k = 1; k < a.rank && fit; ++k) {
      fit = a.stride[0][k] % count == 0 && a.stride[1][k] % count == 0;
    }
    return fit;
  };
  while (together > 1 && !fits(together)) together /= 2;
  if (together == 1) return bytes;
  a.size[0] /= together;
  a.n /= together;
  for (int k = 1; k < a.rank; ++k) {
    a.stride[0][k] /= together;
    a.stride[1][k] /= together;
  }
  return bytes * together;
}

// The axis along which the source is contiguous, if transposing squares pays
// off; else 0.
int32_t Across(const CopyArgs& a) {
  if (a.rank < 2 || a.stride[1][0] != 1 || a.stride[0][0] == 1) return 0;
  for (int32_t k = 1; k < a.rank; ++k) {
    if (a.stride[0][k] == 1 && a.size[k] >= kSide / 4 &&
        a.size[0] >= kSide / 4) {
      return k;
    }
  }
  return 0;
}

bool Near(const CopyArgs& a) {
  int64_t farthest = a.n;
  for (int operand = 0; operand < 2; ++operand) {
    int64_t reach = 0;
    for (int k = 0; k < a.rank; ++k) {
      reach += std::abs(a.stride[operand][k]) * a.size[k];
    }
    farthest = std::max(farthest, reach);
  }
  return farthest < (int64_t{1} << 31);
}

// Axes by how far the target steps along them, the farthest first.
Result<Shape> Walked(const Shape& shape, const Strides& from, const Strides& to,
                     Strides (&strides)[2]) {
  SmallVector<size_t, kMaxRank> order;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) != 1) order.push_back(static_cast<size_t>(i));
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    int64_t far = std::abs(to[a]), near = std::abs(to[b]);
    return far != near ? far > near : a < b;
  });
  SmallVector<int64_t, kMaxRank> dims;
  for (size_t i = 0; i < order.size(); ++i) {
    dims.push_back(shape.dim(static_cast<int>(order[i])));
    strides[0][i] = from[order[i]];
    strides[1][i] = to[order[i]];
  }
  return Shape::Make({dims.data(), dims.size()});
}

}  // namespace

uint64_t ElementPattern(double value, DType dtype) {
  ElementBytes one = ElementOf(value, dtype);
  auto size = static_cast<size_t>(DTypeSize(dtype));
  uint64_t pattern = 0;
  char* bytes = reinterpret_cast<char*>(&pattern);
  for (size_t at = 0; at < sizeof pattern; at += size) {
    std::memcpy(bytes + at, one.bytes, size);
  }
  return pattern;
}

std::string MovedType(int64_t bytes) {
  if (bytes == 16) {
    return "struct alignas(16) Bytes16 { uint64_t a, b; };\n"
           "using T = Bytes16;\n"
           "inline T Border(uint64_t v) { return {v, v}; }\n";
  }
  return StrCat("using T = uint", bytes * 8,
                "_t;\ninline T Border(uint64_t v) { return T(v); }\n");
}

int64_t MovedBytes(int64_t bytes, const void* from, const void* to) {
  int64_t together = 16;
  while (together > 1 && (bytes % together || !Aligned(from, together) ||
                          !Aligned(to, together))) {
    together /= 2;
  }
  return together;
}

Status CopyRegionOnGpu(const KernelContext& ctx, DType dtype,
                       const Shape& shape, const void* from,
                       const Strides& from_strides, void* to,
                       const Strides& to_strides) {
  CopyArgs args;
  args.from = from;
  args.to = to;
  args.n = shape.num_elements();
  if (args.n == 0) return OkStatus();
  Strides strides[2] = {};
  SL_ASSIGN_OR_RETURN(Shape sorted,
                      Walked(shape, from_strides, to_strides, strides));
  GpuWalk<2> walk(sorted, strides);
  if (!walk.fits) return NotServed();
  args.rank = walk.rank;
  std::memcpy(args.size, walk.size.data(), sizeof args.size);
  std::memcpy(args.stride, walk.stride.data(), sizeof args.stride);
  int64_t bytes = DTypeSize(dtype);
  CudaDevice& device = GpuOf(ctx);
  bool whole = args.rank == 0 || (args.rank == 1 && args.stride[0][0] == 1 &&
                                  args.stride[1][0] == 1);
  if (whole) {
    Place source{&device.memory(), const_cast<void*>(from)};
    ctx.stream()->Copy({&device.memory(), to}, source, args.n * bytes);
    return OkStatus();
  }
  args.across = Across(args);
  if (args.across != 0) {
    args.n = 1;
    for (int k = 0; k < args.rank; ++k) {
      int64_t n = args.size[k];
      bool turned = k == 0 || k == args.across;
      if (turned) n = args.tiles[k != 0] = (n + kSide - 1) / kSide;
      args.n *= n;
    }
    std::string before = MovedType(bytes) + "using Index = int64_t;\n";
    SL_ASSIGN_OR_RETURN(CUfunction turn,
                        FileFunction(device, "copy.cuh", before, "tiles"));
    CudaGrid grid = GridFor(device, args.n * kTileThreads, kTileThreads);
    return LaunchCuda(ctx, turn, grid, args);
  }
  bytes = Widen(args, bytes);
  std::string before = StrCat(MovedType(bytes), "using Index = int",
                              Near(args) ? "32" : "64", "_t;\n");
  SL_ASSIGN_OR_RETURN(CUfunction copy,
                      FileFunction(device, "copy.cuh", before, "copy"));
  return LaunchCuda(ctx, copy, GridFor(device, args.n), args);
}

Status CopyAllOnGpu(const KernelContext& ctx, const Array& from,
                    const Array& to) {
  return CopyRegionOnGpu(ctx, to.dtype(), to.shape(), AddressOf(from),
                         from.strides(), AddressOf(to), to.strides());
}

Status CopyStridedOnGpu(KernelContext& ctx, const Array& from,
                        const Array& to) {
  return CopyAllOnGpu(ctx, from, to);
}

namespace {

Status Fill(const KernelContext& ctx, int64_t bytes, const void* from,
            uint64_t value, int64_t n, void* to) {
  struct Args {
    void* to;
    const void* from;
    int64_t n, packs;
    uint64_t value;
  } args = {to, from, n, Aligned(to, 16) ? n * bytes / 16 : 0, value};
  if (n == 0) return OkStatus();
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(CUfunction fill, FileFunction(device, "fill.cuh",
                                                    MovedType(bytes), "fill"));
  int64_t steps = args.packs > 0 ? args.packs : n;
  return LaunchCuda(ctx, fill, GridFor(device, steps), args);
}

}  // namespace

Status FillOnGpu(const KernelContext& ctx, DType dtype, double value, int64_t n,
                 void* to) {
  return Fill(ctx, DTypeSize(dtype), nullptr, ElementPattern(value, dtype), n,
              to);
}

Status FillOnGpu(const KernelContext& ctx, const Array& to, double value) {
  return FillOnGpu(ctx, to.dtype(), value, to.num_elements(), AddressOf(to));
}

Status FillFromOnGpu(const KernelContext& ctx, const Array& to,
                     const Array& value) {
  return Fill(ctx, DTypeSize(to.dtype()), AddressOf(value), 0,
              to.num_elements(), AddressOf(to));
}

Status RemapOnGpu(const KernelContext& ctx, AxisSource mode, const Array& from,
                  std::span<const int64_t> before, double value,
                  const Array& to) {
  struct Args {
    const void* from = nullptr;
    void* to = nullptr;
    int64_t n = 0;
    int32_t rank = 0, mode = 0;
    int64_t size[kMaxWalkRank] = {}, source[kMaxWalkRank] = {},
            before[kMaxWalkRank] = {};
    uint64_t value = 0;
  } args;
  args.from = AddressOf(from);
  args.to = AddressOf(to);
  args.n = to.num_elements();
  if (args.n == 0) return OkStatus();
  args.mode = static_cast<int32_t>(mode);
  args.value = ElementPattern(value, to.dtype());
  // Adjacent elements at the end of a row are moved as one.
  int axis = to.rank() - 1;
  auto stays = [&](int i) {
    return before[static_cast<size_t>(i)] == 0 && to.dim(i) == from.dim(i);
  };
  int64_t row = DTypeSize(to.dtype());
  for (; axis >= 0 && stays(axis); --axis) row *= to.dim(axis);
  int64_t bytes = MovedBytes(row, args.from, args.to);
  args.n = to.bytes() / bytes;
  auto add = [&](int64_t size, int64_t source, int64_t first) {
    args.size[args.rank] = size;
    args.source[args.rank] = source;
    args.before[args.rank++] = first;
  };
  if (row > bytes) add(row / bytes, row / bytes, 0);
  if (axis + 1 + args.rank > kMaxWalkRank) return NotServed();
  for (; axis >= 0; --axis) {
    add(to.dim(axis), from.dim(axis), before[static_cast<size_t>(axis)]);
  }
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(
      CUfunction remap,
      FileFunction(device, "remap.cuh", MovedType(bytes), "remap"));
  return LaunchCuda(ctx, remap, GridFor(device, args.n), args);
}

}  // namespace sluice
