#include "sluice/front/imperative_variable.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/launch/copy_between.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/trace/compute_now.h"
#include "sluice/trace/made_once.h"

namespace sluice::front_internal {

namespace {

struct Type {
  DType dtype;
  PartialShape shape;
};

Type TypeOf(const Operand& operand) {
  if (operand.is_tensor()) {
    return {operand.tensor().dtype(), operand.tensor().shape()};
  }
  const Array& value = operand.literal_value().value();
  return {value.dtype(), PartialShape(value.shape())};
}

// A copy: nobody else may write it.
Tensor Make(const Operand& initial, std::string_view name, SourceLine line) {
  NoGrad off;
  Array value;
  if (initial.is_tensor()) {
    std::string what = StrCat("the initial value of variable \"", name, "\"");
    value = ComputeNow(initial.tensor(), what).array();
  } else {
    value = initial.literal_value().value();
    Device* device = MakingDevice();
    if (device && IsPlainData(value.dtype())) {
      value = ValueOrThrow(CopyTo(value, *device));
    }
  }
  EagerRef own = MakeRef<EagerValue>(ValueOrThrow(value.Clone()));
  own->line = line;
  own->requires_grad = kDifferentiable.contains(value.dtype());
  if (!name.empty()) own->extras().name = name;
  return Tensor(std::move(own));
}

Variable MakeOrFind(const Operand& initial, std::string_view name,
                    SourceLine line) {
  auto make = [&] { return Make(initial, name, line); };
  MadeOnce::Run* run = MadeOnce::Run::Current();
  if (!run) return Variable(make());
  Variable found(run->Get(line, make));
  Type wanted = TypeOf(initial);
  if (found.dtype() != wanted.dtype ||
      !wanted.shape.CompatibleWith(found.shape())) {
    throw Error(InvalidArgument(StrCat(
        "variable \"", name, "\" is ", TypeText(wanted.dtype, wanted.shape),
        "; when this line made it, it was ",
        TypeText(found.dtype(), found.shape()))));
  }
  return found;
}

}  // namespace

Variable ImperativeVariable(const Operand& initial, std::string_view name,
                            std::source_location where) {
  SourceLine line = SourceLine::From(where);
  try {
    return MakeOrFind(initial, name, line);
  } catch (const Error& e) {
    throw Error(Status(e.code(), e.what()).WithLine(StrCat("at ", line)));
  }
}

}  // namespace sluice::front_internal
