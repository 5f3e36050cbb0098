#include "sluice/nn/norms.h"

#include "sluice/eager/constants.h"
#include "sluice/nn/beside.h"
#include "sluice/nn/channels.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/normalized.h"

namespace sluice::nn {

namespace {

PerAxis CheckedShape(std::string_view type, const PerAxis& shape, Where where) {
  SL_WANT(!shape.sizes().empty(), where, type,
          ": normalized_shape is empty; wanted the sizes of the last axes");
  return shape.Of(shape.sizes().size(), 1, StrCat(type, ": normalized_shape"));
}

void CheckEpsilon(std::string_view type, double eps, Where where) {
  SL_WANT(eps >= 0, where, type, ": eps is ", eps, "; wanted eps >= 0");
}

}  // namespace

LayerNorm::LayerNorm(const PerAxis& normalized_shape,
                     const LayerNormOptions& options, Where where)
    : shape_(CheckedShape("LayerNorm", normalized_shape, where)),
      options_(options) {
  CheckEpsilon("LayerNorm", options.eps, where);
  scale_ = ones(shape_.sizes(), options.dtype);
  offset_ = zeros(shape_.sizes(), options.dtype);
  if (!options.elementwise_affine) return;
  weight = add_parameter("weight", scale_);
  if (options.bias) bias = add_parameter("bias", offset_);
}

Tensor LayerNorm::forward(Tensor x) {
  return LayerNormalized({"LayerNorm", "x", line()}, x, shape_.sizes(),
                         weight.defined() ? weight : Beside(x, scale_),
                         bias.defined() ? bias : Beside(x, offset_),
                         options_.eps);
}

std::string LayerNorm::extra_repr() const {
  std::string text = shape_.sizes().size() == 1
                         ? StrCat(shape_[0])
                         : StrCat("(", Join(shape_.sizes(), ", "), ")");
  if (options_.eps != 1e-5) StrAppend(text, ", eps=", options_.eps);
  if (!weight.defined()) {
    text += ", elementwise_affine=false";
  } else if (!bias.defined()) {
    text += ", bias=false";
  }
  return text;
}

RMSNorm::RMSNorm(const PerAxis& normalized_shape, const RMSNormOptions& options,
                 Where where)
    : shape_(CheckedShape("RMSNorm", normalized_shape, where)),
      options_(options),
      eps_(options.eps.value_or(MachineEpsilon(options.dtype))) {
  CheckEpsilon("RMSNorm", eps_, where);
  scale_ = ones(shape_.sizes(), options.dtype);
  if (options.elementwise_affine) weight = add_parameter("weight", scale_);
}

Tensor RMSNorm::forward(Tensor x) {
  return RmsNormalized({"RMSNorm", "x", line()}, x, shape_.sizes(),
                       weight.defined() ? weight : Beside(x, scale_), eps_);
}

std::string RMSNorm::extra_repr() const {
  std::string text = shape_.sizes().size() == 1
                         ? StrCat(shape_[0])
                         : StrCat("(", Join(shape_.sizes(), ", "), ")");
  if (options_.eps) StrAppend(text, ", eps=", *options_.eps);
  if (!weight.defined()) text += ", elementwise_affine=false";
  return text;
}

GroupNorm::GroupNorm(int64_t num_groups, int64_t num_channels,
                     const GroupNormOptions& options, Where where)
    : groups_(num_groups), channels_(num_channels), options_(options) {
  SL_WANT(num_groups > 0 && num_channels > 0 && num_channels % num_groups == 0,
          where, "GroupNorm: num_groups is ", num_groups,
          "; wanted it to divide num_channels ", num_channels);
  CheckEpsilon("GroupNorm", options.eps, where);
  scale_ = ones({num_channels}, options.dtype);
  offset_ = zeros({num_channels}, options.dtype);
  if (!options.affine) return;
  weight = add_parameter("weight", scale_);
  bias = add_parameter("bias", offset_);
}

Tensor GroupNorm::forward(Tensor x) {
  SL_WANT(x.rank() < 0 ||
              (x.rank() >= 2 && (x.dim(1) < 0 || x.dim(1) == channels_)),
          line(), "GroupNorm: x is ", TypeText(x.dtype(), x.shape()),
          "; wanted [batch, ", channels_, ", ...]");
  return GroupNormalized({"GroupNorm", "x", line()}, x, groups_,
                         weight.defined() ? weight : Beside(x, scale_),
                         bias.defined() ? bias : Beside(x, offset_),
                         options_.eps);
}

std::string GroupNorm::extra_repr() const {
  std::string text = StrCat(groups_, ", ", channels_);
  if (options_.eps != 1e-5) StrAppend(text, ", eps=", options_.eps);
  if (!options_.affine) text += ", affine=false";
  return text;
}

InstanceNorm::InstanceNorm(std::string_view type, int axes,
                           int64_t num_features,
                           const InstanceNormOptions& options, Where where)
    : axes_(axes), features_(num_features), options_(options) {
  SL_WANT(num_features > 0, where, type, ": num_features is ", num_features,
          "; wanted it positive");
  CheckEpsilon(type, options.eps, where);
  scale_ = ones({num_features}, options.dtype);
  offset_ = zeros({num_features}, options.dtype);
  if (!options.affine) return;
  weight = add_parameter("weight", scale_);
  bias = add_parameter("bias", offset_);
}

Tensor InstanceNorm::forward(Tensor x) {
  CheckChannels(*this, x, axes_, features_, line());
  return InstanceNormalized(
      {type_name(), "x", line()}, x,
      {.weight = weight.defined() ? weight : Beside(x, scale_),
       .bias = bias.defined() ? bias : Beside(x, offset_),
       .eps = options_.eps});
}

std::string InstanceNorm::extra_repr() const {
  std::string text = StrCat(features_);
  if (options_.eps != 1e-5) StrAppend(text, ", eps=", options_.eps);
  if (options_.affine) text += ", affine=true";
  return text;
}

}  // namespace sluice::nn
