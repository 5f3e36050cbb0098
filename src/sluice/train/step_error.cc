#include "sluice/train/step_error.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/kernels/finite_range.h"

namespace sluice::train {

Status ExplainLoss(
    nn::Module& model,
    const std::function<Tensor(const std::vector<Tensor>&)>& loss,
    const std::vector<Tensor>& batch, int64_t step, double value) {
  std::string text = StrCat("the loss of step ", step, " is ", value);
  for (const auto& [name, tensor] : model.named_parameters()) {
    FiniteRange range = FiniteRangeOf(ValueOrThrow(OnHost(tensor.array())));
    if (range.bad == 0) continue;
    return FailedPrecondition(StrCat(
        text, "; parameter \"", name, "\" has ", range.bad, " of ",
        tensor.num_elements(),
        " elements that are not finite: the update of an earlier step was too "
        "large; a smaller learning rate or clip_norm may help"));
  }
  for (size_t i = 0; i < batch.size(); ++i) {
    if (!kFloats.contains(batch[i].dtype())) continue;
    Array here = ValueOrThrow(OnHost(batch[i].array()));
    FiniteRange range = FiniteRangeOf(here);
    if (range.bad == 0) continue;
    return FailedPrecondition(StrCat(text, "; component ", i, " of its batch, ",
                                     DescribeRange(here), ", is not finite"));
  }
  try {
    NoGrad off;
    NanTrap trap;
    loss(batch);
  } catch (const Error& e) {
    return FailedPrecondition(StrCat(text, "; it comes from ", e.what()));
  }
  // Random numbers differ from call to call.
  return FailedPrecondition(
      StrCat(text, "; when the step was computed again, it was finite"));
}

}  // namespace sluice::train
