#include "sluice/gpu/fused_launch.h"

#include <cstring>

#include "sluice/base/small_vector.h"
#include "sluice/kernels/cuda/walk.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

constexpr size_t kMostStrided = 24;

// The struct that FusedWriter::Args declares, byte by byte.
class FusedArgs {
 public:
  template <class T>
  void Add(T value) {
    size_t at = (bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  void Append(const FusedArgs& part) {
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
    bytes_.insert(bytes_.end(), part.bytes_.begin(), part.bytes_.end());
  }
  // Extends to an array of `count` entries; missing entries are zero.
  void Extend(size_t count) { bytes_.resize(bytes_.size() + count); }
  size_t size() const { return (bytes_.size() + 7) / 8 * 8; }
  void* data() { return bytes_.data(); }

 private:
  std::vector<char> bytes_;
};

// Whether the elements of an operand are contiguous along the innermost axis,
// in runs that begin at multiples of `pack`, or it is one element for the whole
// axis.
template <class Steps>
bool RunsOf(int64_t pack, int rank, const Steps& steps) {
  if (steps[0] == 0) return true;
  if (steps[0] != 1) return false;
  for (int axis = 1; axis < rank; ++axis) {
    if (steps[axis] % pack != 0) return false;
  }
  return true;
}

// Fills the arguments of one loop; `threads`: set to the number it has work
// for.
Status Fill(const FusedPart& part, int pack, FusedArgs& args,
            int64_t& threads) {
  const Shape& space = part.space;
  std::span<const Array> in = part.in, out = part.out;
  std::span<const FusedAccess> access = part.access;
  int64_t n = space.num_elements();
  SmallVector<Strides, 8> strides;
  bool packed = true;
  int64_t farthest = n;
  auto aligned = [&](const Array& a) {
    auto bytes = static_cast<size_t>(pack * DTypeSize(a.dtype()));
    return reinterpret_cast<uintptr_t>(a.address()) % bytes == 0;
  };
  for (size_t i = 0; i < in.size(); ++i) {
    if (access[i] == FusedAccess::kFlat) packed = packed && aligned(in[i]);
    if (access[i] != FusedAccess::kStrided) continue;
    strides.push_back(BroadcastStrides(in[i], space));
    for (int axis = 0; axis < space.rank(); ++axis) {
      farthest +=
          std::abs(strides.back()[static_cast<size_t>(axis)]) * space.dim(axis);
    }
  }
  for (const Array& o : out) packed = packed && aligned(o);
  bool by_strides = !strides.empty();
  if (strides.size() > kMostStrided) return NotServed();
  GpuWalk<kMostStrided> walk(space, strides);
  if (!walk.fits) return NotServed();
  if (by_strides) {
    packed = packed && walk.rank > 0 && walk.size[0] % pack == 0;
    for (size_t i = 0, k = 0; i < in.size(); ++i) {
      if (access[i] != FusedAccess::kStrided) continue;
      const auto& steps = walk.stride[k++];
      packed = packed && RunsOf(pack, walk.rank, steps) &&
               (steps[0] == 0 || aligned(in[i]));
    }
  }
  // As fused_source.cc reads them: 1: offsets fit 32 bits; 2: several elements
  // at a time.
  int32_t flags = (farthest < (int64_t{1} << 31) ? 1 : 0) | (packed ? 2 : 0);
  args.Add<int64_t>(n);
  args.Add<int32_t>(flags);
  args.Add<int32_t>(walk.rank);
  if (part.live) args.Add<const void*>(part.live);
  for (const Array& o : out) args.Add<void*>(o.address());
  for (const Array& i : in) args.Add<void*>(i.address());
  if (in.empty()) args.Add<void*>(nullptr);
  if (by_strides) {
    for (int64_t size : walk.size) args.Add<int64_t>(size);
    for (size_t k = 0; k < strides.size(); ++k) {
      for (int64_t step : walk.stride[k]) args.Add<int64_t>(step);
    }
  }
  threads = packed ? n / pack + 1 : n;
  return OkStatus();
}

// As in fused_source.cc: the block ranges of the parts, then the arguments of
// each.
Status LaunchBeside(const KernelContext& ctx, CUfunction function, int pack,
                    std::span<const FusedPart> parts) {
  CudaDevice& device = GpuOf(ctx);
  FusedArgs all, each;
  int32_t blocks = 0;
  size_t bytes = 0;
  all.Add<int32_t>(static_cast<int32_t>(parts.size()));
  for (const FusedPart& part : parts) {
    FusedArgs args;
    int64_t threads = 0;
    SL_RETURN_IF_ERROR(Fill(part, pack, args, threads));
    all.Add<int32_t>(blocks);
    if (part.space.num_elements() > 0) {
      blocks += static_cast<int32_t>(GridFor(device, threads).blocks);
    }
    bytes = args.size();
    each.Append(args);
  }
  if (blocks == 0) return OkStatus();
  const int room = FusedRoom(static_cast<int>(parts.size()));
  for (int i = static_cast<int>(parts.size()); i <= room; ++i) {
    all.Add<int32_t>(blocks);
  }
  all.Append(each);
  all.Extend(bytes * (static_cast<size_t>(room) - parts.size()));
  return LaunchCudaRaw(ctx, function, {blocks, 256}, all.data());
}

}  // namespace

Status LaunchFused(const KernelContext& ctx, const std::string& source,
                   int pack, std::span<const FusedPart> parts) {
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(CUfunction function,
                      CudaFunction(device, source, "fused"));
  if (parts.size() > 1) return LaunchBeside(ctx, function, pack, parts);
  if (parts[0].space.num_elements() == 0) return OkStatus();
  FusedArgs args;
  int64_t threads = 0;
  SL_RETURN_IF_ERROR(Fill(parts[0], pack, args, threads));
  return LaunchCudaRaw(ctx, function, GridFor(device, threads), args.data());
}

}  // namespace sluice
