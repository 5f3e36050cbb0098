#include "sluice/nn/shape_layers.h"

#include <cmath>

#include "sluice/nn/channels.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/reshape.h"
#include "sluice/ops.h"

namespace sluice::nn {

Tensor Flatten::forward(Tensor x) { return flatten(x, start_, end_, line()); }

std::string Flatten::extra_repr() const {
  if (start_ == 1 && end_ == -1) return {};
  return StrCat("start_dim=", start_, ", end_dim=", end_);
}

Tensor Unflatten::forward(Tensor x) {
  int rank = x.rank(), axis = dim_ < 0 ? dim_ + rank : dim_;
  SL_WANT(axis >= 0 && axis < rank, line(), "Unflatten: x is ",
          TypeText(x.dtype(), x.shape()), "; wanted an axis ", dim_);
  std::vector<SizeOf> sizes;
  for (int i = 0; i < axis; ++i) sizes.emplace_back(x, i);
  for (int64_t size : sizes_) sizes.emplace_back(size);
  for (int i = axis + 1; i < rank; ++i) sizes.emplace_back(x, i);
  return Reshaped(x, sizes, line());
}

std::string Unflatten::extra_repr() const {
  return StrCat("dim=", dim_, ", sizes=(", Join(sizes_, ", "), ")");
}

Upsample::Upsample(const UpsampleOptions& options, Where where)
    : options_(options) {
  SL_WANT(options.size.has_value() != (options.scale_factor > 0), where,
          "Upsample: wanted either a size or a positive scale_factor");
  SL_WANT(options.mode == "nearest" || options.mode == "bilinear", where,
          "Upsample: mode is \"", options.mode,
          "\"; wanted nearest or bilinear");
  SL_WANT(!options.align_corners || options.mode == "bilinear", where,
          "Upsample: align_corners is for mode bilinear");
  if (options.size) options_.size = options.size->Of(2, 1, "Upsample: size");
}

Tensor Upsample::forward(Tensor x) {
  CheckImages(*this, x, 2, line());
  std::vector<int64_t> size;
  if (options_.size) {
    size = options_.size->sizes();
  } else if (x.num_elements() < 0 && options_.mode == "nearest" &&
             options_.scale_factor == std::floor(options_.scale_factor)) {
    // Of whatever size: every element several times.
    auto times = static_cast<int64_t>(options_.scale_factor);
    Tensor rows = repeat(x, times, {.axis = 2}, {}, line());
    return repeat(rows, times, {.axis = 3}, {}, line());
  } else {
    for (int i = 2; i < 4; ++i) {
      SL_WANT(x.rank() == 4 && x.dim(i) >= 0, line(), "Upsample: x is ",
              TypeText(x.dtype(), x.shape()),
              "; wanted a known height and width, or a size instead of a "
              "scale_factor");
      size.push_back(static_cast<int64_t>(
          std::floor(static_cast<double>(x.dim(i)) * options_.scale_factor)));
    }
  }
  // Nearest elements are counted from their corners.
  std::string coordinates = options_.align_corners       ? "align_corners"
                            : options_.mode == "nearest" ? "asymmetric"
                                                         : "half_pixel";
  return resize(x, size, {.mode = options_.mode, .coordinates = coordinates},
                {}, line());
}

std::string Upsample::extra_repr() const {
  std::string text = options_.size
                         ? StrCat("size=", *options_.size)
                         : StrCat("scale_factor=", options_.scale_factor);
  StrAppend(text, ", mode=", options_.mode);
  if (options_.align_corners) text += ", align_corners=true";
  return text;
}

}  // namespace sluice::nn
