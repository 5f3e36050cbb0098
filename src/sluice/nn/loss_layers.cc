#include "sluice/nn/loss_layers.h"

#include "sluice/ops.h"

namespace sluice::nn {

Tensor CrossEntropyLoss::forward(Tensor x, Tensor target) {
  return cross_entropy(x, target, options_, line());
}
Tensor NLLLoss::forward(Tensor x, Tensor target) {
  return nll_loss(
      x, target,
      {.ignore_index = options_.ignore_index, .reduction = options_.reduction},
      {}, line());
}
Tensor MSELoss::forward(Tensor x, Tensor target) {
  return mse_loss(x, target, {.reduction = options_.reduction}, {}, line());
}
Tensor L1Loss::forward(Tensor x, Tensor target) {
  return l1_loss(x, target, {.reduction = options_.reduction}, {}, line());
}
Tensor SmoothL1Loss::forward(Tensor x, Tensor target) {
  return smooth_l1_loss(
      x, target, {.beta = options_.beta, .reduction = options_.reduction}, {},
      line());
}
Tensor HuberLoss::forward(Tensor x, Tensor target) {
  return huber_loss(x, target,
                    {.delta = options_.delta, .reduction = options_.reduction},
                    {}, line());
}
Tensor BCELoss::forward(Tensor x, Tensor target) {
  return binary_cross_entropy(x, target, options_, line());
}
Tensor BCEWithLogitsLoss::forward(Tensor x, Tensor target) {
  return binary_cross_entropy_with_logits(x, target, options_, line());
}
Tensor KLDivLoss::forward(Tensor x, Tensor target) {
  return kl_div(x, target, options_, line());
}
Tensor HingeEmbeddingLoss::forward(Tensor x, Tensor target) {
  return hinge_embedding_loss(x, target, options_, line());
}
Tensor MarginRankingLoss::forward(Tensor x1, Tensor x2, Tensor target) {
  return margin_ranking_loss(x1, x2, target, options_, line());
}
Tensor CosineEmbeddingLoss::forward(Tensor x1, Tensor x2, Tensor target) {
  return cosine_embedding_loss(x1, x2, target, options_, line());
}
Tensor TripletMarginLoss::forward(Tensor anchor, Tensor positive,
                                  Tensor negative) {
  return triplet_margin_loss(anchor, positive, negative, options_, line());
}

}  // namespace sluice::nn
