// The strided copy of SpaceToDepth and DepthToSpace: between an image, whose
// squares of block x block pixels are viewed as axes, and channels that hold
// such a square.
//
// Plain functions; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "sluice/kernels/reference.h"
#include "sluice/op/kernel_context.h"
#include "sluice/tensor/array.h"

namespace sluice::space_depth {

inline bool ChannelsLast(const Attrs& attrs) {
  return attrs.get<std::string>("layout") == "NHWC";
}

// The sizes n, h, w, c of an array in this layout, from PartialShape or Shape.
template <class S>
std::array<int64_t, 4> Sizes(const S& shape, bool last) {
  return {shape[0], shape[last ? 1 : 2], shape[last ? 2 : 3],
          shape[last ? 3 : 1]};
}

// Strides of (n, h, i, w, j, c) if pixel (i, j) of a square is in the image: h
// and w count squares.
inline Strides ImageStrides(const Shape& image, bool last, int64_t block) {
  auto s = ContiguousStrides(image);
  int64_t h = s[last ? 1 : 2], w = s[last ? 2 : 3], c = s[last ? 3 : 1];
  return {s[0], h * block, h, w * block, w, c};
}
// The same if the square is in the channels: "DCR" has the channel as the last
// of them, "CRD" as the first.
inline Strides DepthStrides(const Shape& depth, bool last, int64_t block,
                            bool channel_last, int64_t channels) {
  auto s = ContiguousStrides(depth);
  int64_t h = s[last ? 1 : 2], w = s[last ? 2 : 3], unit = s[last ? 3 : 1];
  int64_t j = channel_last ? channels : 1, c = channel_last ? 1 : block * block;
  return {s[0], h, j * block * unit, w, j * unit, c * unit};
}

// A region with its strides in both arrays, in the order in which the target is
// written.
struct Moves {
  Shape shape;
  Strides from{}, to{};
};

template <bool to_depth>
Result<Moves> MovesOf(const KernelContext& ctx) {
  const Shape &x = ctx.in(0).shape(), &y = ctx.out(0).shape();
  bool last = ChannelsLast(ctx.attrs());
  int64_t block = ctx.attr<int64_t>("block");
  const Shape& image = to_depth ? x : y;
  const Shape& depth = to_depth ? y : x;
  auto [n, h, w, c] = Sizes(image, last);
  Strides in_image = ImageStrides(image, last, block);
  Strides in_depth = DepthStrides(depth, last, block,
                                  ctx.attr<std::string>("order") == "DCR", c);
  Strides from = to_depth ? in_image : in_depth;
  Strides to = to_depth ? in_depth : in_image;
  int64_t dims[] = {n, h / block, block, w / block, block, c};
  int order[] = {0, 1, 2, 3, 4, 5};
  std::sort(order, order + 6, [&](int a, int b) {
    return to[static_cast<size_t>(a)] > to[static_cast<size_t>(b)];
  });
  Moves moves;
  Ints sizes;
  for (size_t i = 0; i < 6; ++i) {
    auto k = static_cast<size_t>(order[i]);
    sizes.push_back(dims[k]);
    moves.from[i] = from[k];
    moves.to[i] = to[k];
  }
  SL_ASSIGN_OR_RETURN(moves.shape, Shape::Make(sizes));
  return moves;
}

}  // namespace sluice::space_depth
