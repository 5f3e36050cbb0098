#include "sluice/optim/param.h"

#include "sluice/base/error.h"
#include "sluice/device/devices.h"
#include "sluice/eager/constants.h"
#include "sluice/eager/operators.h"
#include "sluice/eager/scope.h"
#include "sluice/ops.h"
#include "sluice/optim/refuse.h"
#include "sluice/tensor/remote_copy.h"
#include "sluice/trace/capture.h"

namespace sluice::optim {

DType ComputeType(DType dtype) {
  return dtype == DType::kF64 ? DType::kF64 : DType::kF32;
}

void GroupStep::set(std::string_view name, const Tensor& scalar) {
  scalars_.push_back({std::string(name), scalar.dtype(), scalar});
}

Tensor GroupStep::get(std::string_view name, DType dtype) {
  const Tensor* any = name == "lr" ? &lr_ : nullptr;
  for (const Scalar& s : scalars_) {
    if (s.name != name) continue;
    if (s.dtype == dtype) return s.value;
    any = &s.value;
  }
  if (!any) Refuse(StrCat("no number \"", name, "\" was set for the group"));
  if (any->dtype() == dtype) return *any;
  Tensor typed = cast(*any, dtype);
  scalars_.push_back({std::string(name), dtype, typed});
  return typed;
}

Param::Param(ParamState& state, GroupStep& step, Tensor rows,
             std::vector<Operation>& changes)
    : state_(state),
      step_(step),
      rows_(std::move(rows)),
      changes_(changes),
      dtype_(ComputeType(state.variable.dtype())) {}

std::string ParamState::DeviceOf(const Variable& variable) {
  return variable.symbolic() ? "" : variable.tensor().device();
}

void Param::Note(Operation change) {
  if (change) changes_.push_back(change);
}

Tensor Param::value() const {
  Tensor whole = state_.variable.read();
  Tensor part = rows_.defined() ? gather(whole, rows_) : whole;
  return part.dtype() == dtype_ ? part : cast(part, dtype_);
}

void Param::subtract(const Tensor& change) {
  const Variable& v = state_.variable;
  if (v.dtype() == dtype_) {
    Note(rows_.defined() ? v.scatter_sub(rows_, change) : v.assign_sub(change));
    return;
  }
  // Rounded once, when all is computed.
  Tensor next = cast(value() - change, v.dtype());
  Note(rows_.defined() ? v.scatter_update(rows_, next) : v.assign(next));
}

const Variable& Param::Slot(std::string_view name, const SlotOptions& options) {
  for (const auto& [own, variable] : *state_.slots) {
    if (own == name) return variable;
  }
  const PartialShape& partial = options.shape ? *options.shape : shape();
  if (!partial.fully_known()) {
    Refuse(StrCat("parameter \"", state_.name, "\" is ",
                  TypeText(state_.variable.dtype(), partial),
                  "; wanted all sizes known to make slot \"", name, "\""));
  }
  Shape sizes = partial.ToShape();
  Variable made;
  if (state_.variable.symbolic()) {
    // Outside of whatever loop or branch the step is in.
    front_internal::SavedBuilding saved;
    front_internal::Building::Current().region = nullptr;
    front_internal::Building::Current().controls.clear();
    Tensor start = cast(full(sizes, options.initial), dtype_);
    made = variable(start, StrCat(state_.name, "/", name));
  } else {
    // In a function that is being recorded too, this is made here and now.
    if (Capture* capture = Capture::Current()) {
      if (capture->in_region() && capture->ways_decided()) {
        throw Error(Unimplemented(
            StrCat("slot \"", name, "\" of parameter \"", state_.name,
                   "\" is made by the first step, which is in a branch or loop "
                   "that a tensor decides; wanted a step before")));
      }
      // It may not even come to be made.
      capture->Undo([slots = state_.slots, before = state_.slots->size()] {
        while (slots->size() > before) slots->pop_back();
      });
    }
    // Beside the parameter.
    Array start = Array::Zeros(dtype_, sizes);
    if (!state_.device.empty()) {
      Device* there = ValueOrThrow(Devices::Find(state_.device));
      start = ValueOrThrow(RemoteCopy::To(start, there->array_memory()));
    }
    Tensor own(MakeRef<EagerValue>(std::move(start)));
    own.set_name(StrCat(state_.name, ".", name));
    if (options.initial != 0) {
      ImperativeScope now;
      own.fill_(options.initial);
    }
    made = Variable(own);
  }
  state_.slots->emplace_back(name, made);
  return state_.slots->back().second;
}

Tensor Param::slot(std::string_view name, const SlotOptions& options) {
  Tensor whole = Slot(name, options).read();
  return Whole(options) ? whole : gather(whole, rows_);
}

Tensor Param::set(std::string_view name, const Tensor& value,
                  const SlotOptions& options) {
  const Variable& slot = Slot(name, options);
  Note(Whole(options) ? slot.assign(value) : slot.scatter_update(rows_, value));
  return value;
}

}  // namespace sluice::optim
