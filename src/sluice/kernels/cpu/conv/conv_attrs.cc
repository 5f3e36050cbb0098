#include "sluice/kernels/cpu/conv/conv_attrs.h"

#include <algorithm>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"

namespace sluice {

namespace {

using Ints = std::vector<int64_t>;

void Expand(const Attrs& attrs, std::string_view name, int axes, ConvAxes& to) {
  const AttrValue* value = attrs.find(name);
  if (!value) return;
  const Ints& list = value->get<Ints>();
  if (list.empty()) return;
  for (int i = 0; i < axes; ++i) {
    to[i] = list[list.size() == 1 ? 0 : static_cast<size_t>(i)];
  }
}

Status CheckList(const ShapeContext& c, std::string_view name, int axes,
                 bool pairs, int64_t least) {
  const AttrValue* value = c.attrs().find(name);
  if (!value) return OkStatus();
  const Ints& list = value->get<Ints>();
  size_t n = list.size(), per_axis = static_cast<size_t>(axes);
  if (n > 1 && n != per_axis && !(pairs && n == 2 * per_axis)) {
    std::string wanted = axes == 1 ? "1" : StrCat("1 or ", axes);
    if (pairs) StrAppend(wanted, " or ", 2 * axes);
    return c.Error(StrCat(name, " is ", ListText(c, name), "; wanted ", wanted,
                          " entries"));
  }
  for (int64_t v : list) {
    if (v >= least) continue;
    return c.Error(StrCat(name, " is ", ListText(c, name),
                          "; wanted every entry >= ", least));
  }
  return OkStatus();
}

// The raw values: checks compute the effect of numbers that are too large.
ConvWindow ReadWindow(const Attrs& attrs, int axes) {
  ConvWindow w;
  Expand(attrs, "strides", axes, w.stride);
  Expand(attrs, "dilation", axes, w.dilation);
  Expand(attrs, "output_padding", axes, w.output_padding);
  const AttrValue* padding = attrs.find("padding");
  if (padding && padding->get<Ints>().size() == 2 * static_cast<size_t>(axes)) {
    const Ints& list = padding->get<Ints>();
    for (size_t i = 0; i < static_cast<size_t>(axes); ++i) {
      w.pad_before[i] = list[2 * i];
      w.pad_after[i] = list[2 * i + 1];
    }
  } else {
    Expand(attrs, "padding", axes, w.pad_before);
    Expand(attrs, "padding", axes, w.pad_after);
  }
  return w;
}

}  // namespace

std::string ListText(const ShapeContext& c, std::string_view name) {
  return StrCat("[", Join(c.attr<Ints>(name), ","), "]");
}

Result<ConvWindow> CheckConvWindow(const ShapeContext& c, int axes) {
  SL_RETURN_IF_ERROR(CheckList(c, "strides", axes, false, 1));
  SL_RETURN_IF_ERROR(CheckList(c, "dilation", axes, false, 1));
  SL_RETURN_IF_ERROR(CheckList(c, "padding", axes, true, 0));
  SL_RETURN_IF_ERROR(CheckList(c, "output_padding", axes, false, 0));
  return ReadWindow(c.attrs(), axes);
}

ConvWindow ConvWindowOf(const Attrs& attrs, int axes) {
  ConvWindow w = ReadWindow(attrs, axes);
  // No padded axis is as long as this, so longer steps mean the same; they
  // would only overflow when multiplied.
  constexpr int64_t kLongestStep = int64_t{1} << 38;
  for (size_t i = 0; i < static_cast<size_t>(axes); ++i) {
    w.stride[i] = std::min(w.stride[i], kLongestStep);
    w.dilation[i] = std::min(w.dilation[i], kLongestStep);
  }
  return w;
}

Status ReadAxisList(const ShapeContext& c, std::string_view name, int axes,
                    int64_t otherwise, int64_t least, ConvAxes& to) {
  SL_RETURN_IF_ERROR(CheckList(c, name, axes, false, least));
  for (int i = 0; i < axes; ++i) to[i] = otherwise;
  Expand(c.attrs(), name, axes, to);
  return OkStatus();
}

bool KernelExtent(int64_t kernel, int64_t dilation, int64_t* extent) {
  return CheckedMul(kernel - 1, dilation, extent) &&
         CheckedAdd(*extent, 1, extent);
}

}  // namespace sluice
