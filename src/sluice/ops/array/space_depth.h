// Shared by SpaceToDepth and DepthToSpace. Both copy between an image, whose
// squares of block x block pixels are viewed as axes, and channels that hold
// such a square; they differ in which of the two is the source.
#pragma once

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/kernels/space_depth_moves.h"
#include "sluice/op/record.h"
#include "sluice/tensor/strided.h"

namespace sluice::space_depth {

inline Ints DimsOf(const std::array<int64_t, 4>& s, bool last) {
  return last ? Ints{s[0], s[1], s[2], s[3]} : Ints{s[0], s[3], s[1], s[2]};
}

template <bool to_depth>
Status kernel(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  if (x.num_elements() == 0) return OkStatus();
  SL_ASSIGN_OR_RETURN(Moves moves, MovesOf<to_depth>(ctx));
  CopyRegion(x.dtype(), moves.shape, x.raw(), moves.from, y.mutable_raw(),
             moves.to, ctx.step().pool);
  return OkStatus();
}

// Channel number of pixel (i, j), channel c of `channels`.
inline int64_t Channel(const Attrs& attrs, int64_t i, int64_t j, int64_t c,
                       int64_t channels) {
  int64_t block = attrs.get<int64_t>("block");
  return attrs.get<std::string>("order") == "DCR"
             ? (i * block + j) * channels + c
             : (c * block + i) * block + j;
}

template <bool to_depth>
std::vector<RefArray> reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  bool last = ChannelsLast(attrs);
  int64_t b = attrs.get<int64_t>("block");
  auto s = Sizes(in[0].shape, last);
  int64_t squares = b * b;
  auto image = s, depth = s;
  if (to_depth) {
    depth = {s[0], s[1] / b, s[2] / b, s[3] * squares};
  } else {
    image = {s[0], s[1] * b, s[2] * b, s[3] / squares};
  }
  RefArray y;
  y.shape = ref::MakeShape(DimsOf(to_depth ? depth : image, last));
  y.v.resize(in[0].v.size());
  ref::ForEach(
      ref::MakeShape({image[0], image[1], image[2], image[3]}),
      [&](const Ints& p) {
        Ints pixel = DimsOf({p[0], p[1], p[2], p[3]}, last);
        Ints deep = DimsOf({p[0], p[1] / b, p[2] / b,
                            Channel(attrs, p[1] % b, p[2] % b, p[3], image[3])},
                           last);
        const Ints& from = to_depth ? pixel : deep;
        const Ints& to = to_depth ? deep : pixel;
        y.v[static_cast<size_t>(ref::Flat(y.shape, to))] = ref::At(in[0], from);
      });
  return {y};
}

inline Attrs With(int64_t block, const char* layout, const char* order) {
  return {{"block", block}, {"layout", layout}, {"order", order}};
}

}  // namespace sluice::space_depth
