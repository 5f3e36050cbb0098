#include "sluice/eager/constants.h"

#include "sluice/base/strings.h"
#include "sluice/device/device.h"
#include "sluice/eager/call.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/kept_constant.h"
#include "sluice/eager/scope.h"

namespace sluice {

using front_internal::AddNode;

namespace {

Tensor ConstantOf(const Array& value, std::string_view name,
                  std::source_location where) {
  Attrs attrs{{"value", value}};
  Tensor made = front_internal::CallOne("Const", {}, attrs, name, where);
  const Device* device = made.symbolic() ? nullptr : MakingDevice();
  if (!device || !IsPlainData(value.dtype())) return made;
  return made.to(device->name_text(), where);
}

// The literal as that type, or an error with the user's line.
Array ValueAs(const Literal& value, DType dtype, std::source_location where) {
  return front_internal::Typed("Const", Operand(value, where), dtype)
      .literal_value()
      .value();
}

// 0 or 1, which are bools as well.
Array WholeAs(int value, DType dtype, std::source_location where) {
  if (dtype == DType::kBool) return Array::Scalar(value != 0);
  return ValueAs(value, dtype, where);
}

}  // namespace

Tensor placeholder(DType dtype, const PartialSizes& shape,
                   std::string_view name, std::source_location where) {
  Attrs attrs{{"dtype", dtype}, {"shape", shape.shape()}};
  return front_internal::CallOne("Placeholder", {}, attrs, name, where);
}

Tensor constant(const Literal& value, std::string_view name,
                std::source_location where) {
  // Tensors may share an Array's elements and write them; a graph keeps what it
  // was given.
  Graph* graph = front_internal::Building::Current().graph;
  if (graph && value.own_type() && value.value()) {
    return ConstantOf(ValueOrThrow(front_internal::KeptConstant(value.value())),
                      name, where);
  }
  return ConstantOf(value.value(), name, where);
}

Tensor constant(const Literal& value, DType dtype, std::string_view name,
                std::source_location where) {
  return ConstantOf(ValueAs(value, dtype, where), name, where);
}

Tensor full(const Sizes& shape, const Literal& value, std::string_view name,
            std::source_location where) {
  if (value.value() && value.value().rank() != 0) {
    throw Error(
        InvalidArgument(StrCat("[BroadcastTo] the value is ",
                               value.value().TypeText(), "; wanted a scalar"))
            .WithLine(StrCat("at ", SourceLine::From(where))));
  }
  Operand operands[] = {ConstantOf(value.value(), {}, where),
                        Array::Vector(shape.shape().dims())};
  Tensor made =
      front_internal::CallOne("BroadcastTo", operands, {}, name, where);
  // Elements that can be written each by itself.
  return made.symbolic() ? made : made.clone(where);
}

Tensor zeros(const Sizes& shape, DType dtype, std::string_view name,
             std::source_location where) {
  return full(shape, WholeAs(0, dtype, where), name, where);
}

Tensor ones(const Sizes& shape, DType dtype, std::string_view name,
            std::source_location where) {
  return full(shape, WholeAs(1, dtype, where), name, where);
}

}  // namespace sluice
