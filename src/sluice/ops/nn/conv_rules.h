// Attributes and gradient rules of convolutions. With y = conv(x, w), the input
// gradient dx(dy, w) and the filter gradient dw(x, dy), each of the three is
// linear in both of its operands, and its gradients are the other two.
#pragma once

#include <algorithm>
#include <string>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/conv/conv_op.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/record.h"

namespace sluice {

inline OpDefinition& ConvWindowAttrs(OpDefinition& op) {
  return op.attr("strides", std::vector<int64_t>{}, kConvStridesDoc)
      .attr("padding", std::vector<int64_t>{}, kConvPaddingDoc)
      .attr("dilation", std::vector<int64_t>{}, kConvDilationDoc);
}
inline OpDefinition& ConvGroupsAttr(OpDefinition& op) {
  return op.attr("groups", 1, kConvGroupsDoc).between(1, kMaxConvGroups);
}

// "Conv2D", "Conv2DInputGrad", ...
template <int kAxes>
std::string ConvOp(std::string_view what = "") {
  return StrCat("Conv", kAxes, "D", what);
}

template <int kAxes>
void conv_grad(GradContext& g) {
  GradVar x = g.in(0), w = g.in(1), dy = g.dy();
  if (g.wants(0)) {
    g.set_dx(0, g.call(ConvOp<kAxes>("InputGrad"), {dy, w, g.shape_of(x)},
                       g.attrs()));
  }
  if (g.wants(1)) {
    g.set_dx(1, g.call(ConvOp<kAxes>("FilterGrad"), {x, dy, g.shape_of(w)},
                       g.attrs()));
  }
}

template <int kAxes>
void conv_input_grad_grad(GradContext& g) {
  GradVar dy = g.in(0), w = g.in(1), u = g.dy();
  if (g.wants(0)) g.set_dx(0, g.call(ConvOp<kAxes>(), {u, w}, g.attrs()));
  if (g.wants(1)) {
    g.set_dx(1, g.call(ConvOp<kAxes>("FilterGrad"), {u, dy, g.shape_of(w)},
                       g.attrs()));
  }
}

template <int kAxes>
void conv_filter_grad_grad(GradContext& g) {
  GradVar x = g.in(0), dy = g.in(1), u = g.dy();
  if (g.wants(0)) {
    g.set_dx(0, g.call(ConvOp<kAxes>("InputGrad"), {dy, u, g.shape_of(x)},
                       g.attrs()));
  }
  if (g.wants(1)) g.set_dx(1, g.call(ConvOp<kAxes>(), {x, u}, g.attrs()));
}

// The transposed convolution is the input gradient with x in dy's place.
template <int kAxes>
void conv_transpose_grad(GradContext& g) {
  using Ints = std::vector<int64_t>;
  GradVar x = g.in(0), w = g.in(1), dy = g.dy();
  Attrs attrs;
  for (const auto& [name, value] : g.attrs()) {
    if (name != "output_padding") attrs.set(name, value);
  }
  // If output_padding exceeds the stride, y may have so many additional rows
  // that its convolution has more rows than x.
  const Ints& extra = g.attr<Ints>("output_padding");
  const Ints& strides = g.attr<Ints>("strides");
  auto entry = [](const Ints& list, size_t i, int64_t otherwise) {
    return list.empty() ? otherwise : list[list.size() == 1 ? 0 : i];
  };
  Ints begin(kAxes + 2), size(kAxes + 2, -1), more(2 * (kAxes + 2));
  bool longer = false;
  for (size_t i = 0; i < kAxes; ++i) {
    int64_t rows = entry(extra, i, 0) / entry(strides, i, 1);
    if (rows == 0) continue;
    longer = true;
    more[2 * (2 + i) + 1] = rows;
    size[2 + i] =
        x.rank() < 0 ? kUnknownDim : x.shape()[2 + static_cast<int>(i)];
    if (size[2 + i] < 0) {
      return g.fail(
          "the gradient needs to know x's sizes, since "
          "output_padding exceeds the stride");
    }
  }
  if (g.wants(0)) {
    GradVar dx = g.call(ConvOp<kAxes>(), {dy, w}, attrs);
    if (longer) dx = g.call("Slice", {dx}, {{"begin", begin}, {"size", size}});
    g.set_dx(0, dx);
  }
  if (g.wants(1)) {
    if (longer) x = g.call("Pad", {x}, {{"paddings", more}});
    g.set_dx(
        1, g.call(ConvOp<kAxes>("FilterGrad"), {dy, x, g.shape_of(w)}, attrs));
  }
}

}  // namespace sluice
