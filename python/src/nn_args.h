// Arguments of layers in Python: tensors of any kind, None, one number for all
// axes or one per axis.
#pragma once

#include <initializer_list>
#include <optional>

#include "caller_line.h"
#include "common.h"
#include "sluice/nn/per_axis.h"

namespace sluice::py {

// Anything an op accepts; `what` names it in messages: "conv2d(): input".
Tensor TensorArg(nb::handle object, std::string_view what);
// The same, with an empty tensor for None.
Tensor OptionalArg(nb::handle object, std::string_view what);

// 3, or (3, 5).
nn::PerAxis PerAxisArg(nb::handle object, std::string_view what);

// The size of an axis of `object`, which is t. In a function being recorded it
// is that of the recorded call, and the recording is specialized on it. -1:
// unknown.
int64_t SizeOf(nb::handle object, const Tensor& t, int axis);

// Releases the GIL if the tensors are large enough for other Python threads to
// benefit; for small calls, switching would cost more.
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
