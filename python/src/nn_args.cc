#include "nn_args.h"

#include "attr_value.h"
#include "op_call.h"
#include "operand.h"
#include "sluice/eager/default_float.h"
#include "sluice/trace/region_draft.h"

namespace sluice::py {

Tensor TensorArg(nb::handle object, std::string_view what) {
  Tensor tensor = ToTensor(object, what);
  if (!front_internal::IsNumber(tensor)) return tensor;
  // A number computed by recorded code is treated like a literal.
  DType dtype = front_internal::WrittenType(tensor.dtype());
  return CallOne("Cast", {{tensor, {}, false}}, {{"dtype", dtype}});
}

Tensor OptionalArg(nb::handle object, std::string_view what) {
  return object.is_none() ? Tensor() : TensorArg(object, what);
}

nn::PerAxis PerAxisArg(nb::handle object, std::string_view what) {
  return nn::PerAxis(IntsFromPython(object, what));
}

int64_t SizeOf(nb::handle object, const Tensor& t, int axis) {
  int64_t known = t.dim(axis);
  if (known >= 0 || !t.traced()) return known;
  nb::object size = object.attr("shape")[nb::int_(axis)];
  return nb::cast<int64_t>(nb::int_(size));
}

LongCall::LongCall(std::initializer_list<Tensor> tensors) {
  constexpr int64_t kLong = 16384;
  int64_t elements = 0;
  for (const Tensor& t : tensors) {
    if (t.defined() && !t.symbolic()) elements += t.array().num_elements();
  }
  if (elements >= kLong) released_.emplace();
}

}  // namespace sluice::py
