// Losses as modules, by PyTorch's names: loss(x, target).
#pragma once

#include "sluice/nn/loss.h"
#include "sluice/nn/module.h"

namespace sluice::nn {

class Loss : public Module {
 public:
  using Module::forward;
  virtual Tensor forward(Tensor x, Tensor target) = 0;
  Tensor operator()(Tensor x, Tensor target, Where where = Where::current()) {
    return noted(where, [&] { return forward(x, target); });
  }
};

struct LossOptions {
  std::string reduction = "mean";
};
struct HuberOptions {
  double delta = 1;
  std::string reduction = "mean";
};
struct SmoothL1Options {
  double beta = 1;
  std::string reduction = "mean";
};
struct NLLLossOptions {
  int64_t ignore_index = -100;
  std::string reduction = "mean";
};

#define SL_LOSS(Name, Options)                                            \
  class Name : public Loss {                                              \
   public:                                                                \
    explicit Name(Options options = {}) : options_(std::move(options)) {} \
    using Loss::forward;                                                  \
    Tensor forward(Tensor x, Tensor target) override;                     \
                                                                          \
   private:                                                               \
    Options options_;                                                     \
  };
SL_LOSS(CrossEntropyLoss, CrossEntropyOptions)
SL_LOSS(NLLLoss, NLLLossOptions)
SL_LOSS(MSELoss, LossOptions)
SL_LOSS(L1Loss, LossOptions)
SL_LOSS(SmoothL1Loss, SmoothL1Options)
SL_LOSS(HuberLoss, HuberOptions)
SL_LOSS(BCELoss, BinaryCrossEntropyOptions)
SL_LOSS(BCEWithLogitsLoss, BinaryCrossEntropyWithLogitsOptions)
SL_LOSS(KLDivLoss, KlDivOptions)
#undef SL_LOSS

}  // namespace sluice::nn
