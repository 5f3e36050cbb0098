// Arguments of layers as Python gives them: tensors of any kind, None, numbers
// for all axes or one for each.
#pragma once

#include <initializer_list>
#include <optional>

#include "caller_line.h"
#include "common.h"
#include "sluice/nn/per_axis.h"

namespace sluice::py {

// Anything an op takes; `what` names it in messages: "conv2d(): input".
Tensor TensorArg(nb::handle object, std::string_view what);
// The same, where None is a tensor that holds nothing.
Tensor OptionalArg(nb::handle object, std::string_view what);

// 3, or (3, 5).
nn::PerAxis PerAxisArg(nb::handle object, std::string_view what);

// The size of an axis of `object`, which is t. In a function being recorded it
// is that of the call, and the recording is for this size alone. -1: unknown.
int64_t SizeOf(nb::handle object, const Tensor& t, int axis);

// Lets other threads of Python run where the tensors are so large that they
// would notice; taking turns costs more than small calls do.
class LongCall {
 public:
  explicit LongCall(std::initializer_list<Tensor> tensors);

 private:
  std::optional<ReleaseGil> released_;
};

// The parts of BindNnFunctional and BindNnLayers.
void BindNnShapes(nb::module_& m);        // flatten, pad, interpolate, ...
void BindNnImages(nb::module_& m);        // convolutions and pooling
void BindNnNorms(nb::module_& m);         // batch_norm, layer_norm, ...
void BindNnLosses(nb::module_& m);        // cross_entropy, ...
void BindNnMarginLosses(nb::module_& m);  // multi_margin_loss, ...
void BindNnAttention(nb::module_& m);     // attention
void BindNnInit(nb::module_& m);          // initialisers
void BindNnState(nb::module_& m);         // state_dict, dtype
void BindNnSummary(nb::module_& m);       // summary

}  // namespace sluice::py
