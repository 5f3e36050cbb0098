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

// Losses of three tensors: two and a target, or an anchor and two others.
class LossOfThree : public Module {
 public:
  using Module::forward;
  virtual Tensor forward(Tensor a, Tensor b, Tensor c) = 0;
  Tensor operator()(Tensor a, Tensor b, Tensor c,
                    Where where = Where::current()) {
    return noted(where, [&] { return forward(a, b, c); });
  }
};

// Options are those of the function of like name, after them their defaults.
#define SL_LOSS(Name, Base, Arguments, Options, ...) \
  class Name : public Base {                         \
   public:                                           \
    explicit Name(Options options = __VA_ARGS__)     \
        : options_(std::move(options)) {}            \
    using Base::forward;                             \
    Tensor forward Arguments override;               \
                                                     \
   private:                                          \
    Options options_;                                \
  };
SL_LOSS(CrossEntropyLoss, Loss, (Tensor x, Tensor target), CrossEntropyOptions,
        {})
SL_LOSS(NLLLoss, Loss, (Tensor x, Tensor target), NLLLossOptions, {})
SL_LOSS(MSELoss, Loss, (Tensor x, Tensor target), LossOptions, {})
SL_LOSS(L1Loss, Loss, (Tensor x, Tensor target), LossOptions, {})
SL_LOSS(SmoothL1Loss, Loss, (Tensor x, Tensor target), SmoothL1Options, {})
SL_LOSS(HuberLoss, Loss, (Tensor x, Tensor target), HuberOptions, {})
SL_LOSS(BCELoss, Loss, (Tensor x, Tensor target), BinaryCrossEntropyOptions, {})
SL_LOSS(BCEWithLogitsLoss, Loss, (Tensor x, Tensor target),
        BinaryCrossEntropyWithLogitsOptions, {})
SL_LOSS(KLDivLoss, Loss, (Tensor x, Tensor target), KlDivOptions, {})
SL_LOSS(HingeEmbeddingLoss, Loss, (Tensor x, Tensor target), MarginOptions,
        {.margin = 1})
SL_LOSS(MarginRankingLoss, LossOfThree, (Tensor x1, Tensor x2, Tensor target),
        MarginOptions, {})
SL_LOSS(CosineEmbeddingLoss, LossOfThree, (Tensor x1, Tensor x2, Tensor target),
        MarginOptions, {})
SL_LOSS(TripletMarginLoss, LossOfThree,
        (Tensor anchor, Tensor positive, Tensor negative), TripletMarginOptions,
        {})
#undef SL_LOSS

}  // namespace sluice::nn
