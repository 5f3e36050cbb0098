// What SpaceToDepth and DepthToSpace share. Both copy between an image, whose
// squares of block x block pixels are seen as axes, and channels that hold such
// a square; they differ in which of the two is the source.
#pragma once

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/record.h"
#include "sluice/tensor/strided.h"

namespace sluice::space_depth {

inline bool ChannelsLast(const Attrs& attrs) {
  return attrs.get<std::string>("layout") == "NHWC";
}

// The sizes n, h, w, c of an array in the layout, from PartialShape or Shape.
template <class S>
std::array<int64_t, 4> Sizes(const S& shape, bool last) {
  return {shape[0], shape[last ? 1 : 2], shape[last ? 2 : 3],
          shape[last ? 3 : 1]};
}
inline Ints DimsOf(const std::array<int64_t, 4>& s, bool last) {
  return last ? Ints{s[0], s[1], s[2], s[3]} : Ints{s[0], s[3], s[1], s[2]};
}

// Strides of (n, h, i, w, j, c) where pixel (i, j) of a square lies in the
// image: h and w count squares.
inline Strides ImageStrides(const Shape& image, bool last, int64_t block) {
  auto s = ContiguousStrides(image);
  int64_t h = s[last ? 1 : 2], w = s[last ? 2 : 3], c = s[last ? 3 : 1];
  return {s[0], h * block, h, w * block, w, c};
}
// The same where the square lies in the channels: "DCR" has the channel last
// among them, "CRD" first.
inline Strides DepthStrides(const Shape& depth, bool last, int64_t block,
                            bool channel_last, int64_t channels) {
  auto s = ContiguousStrides(depth);
  int64_t h = s[last ? 1 : 2], w = s[last ? 2 : 3], unit = s[last ? 3 : 1];
  int64_t j = channel_last ? channels : 1, c = channel_last ? 1 : block * block;
  return {s[0], h, j * block * unit, w, j * unit, c * unit};
}

template <bool to_depth>
Status kernel(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  if (x.num_elements() == 0) return OkStatus();
  bool last = ChannelsLast(ctx.attrs());
  int64_t block = ctx.attr<int64_t>("block");
  const Shape& image = to_depth ? x.shape() : y.shape();
  const Shape& depth = to_depth ? y.shape() : x.shape();
  auto [n, h, w, c] = Sizes(image, last);
  Strides in_image = ImageStrides(image, last, block);
  Strides in_depth = DepthStrides(depth, last, block,
                                  ctx.attr<std::string>("order") == "DCR", c);
  // Axes in the order in which the target is written.
  Strides from = to_depth ? in_image : in_depth;
  Strides to = to_depth ? in_depth : in_image;
  int64_t dims[] = {n, h / block, block, w / block, block, c};
  int order[] = {0, 1, 2, 3, 4, 5};
  std::sort(order, order + 6, [&](int a, int b) {
    return to[static_cast<size_t>(a)] > to[static_cast<size_t>(b)];
  });
  Ints sizes;
  Strides source{}, target{};
  for (size_t i = 0; i < 6; ++i) {
    auto k = static_cast<size_t>(order[i]);
    sizes.push_back(dims[k]);
    source[i] = from[k];
    target[i] = to[k];
  }
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(sizes));
  CopyRegion(x.dtype(), shape, x.raw(), source, y.mutable_raw(), target,
             ctx.step().pool);
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
