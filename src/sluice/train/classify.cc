#include "sluice/train/classify.h"

#include "sluice/eager/grad_mode.h"
#include "sluice/front/function.h"
#include "sluice/nn/loss.h"
#include "sluice/ops.h"

namespace sluice::train {

Classified classify(const std::function<Tensor(const Tensor&)>& logits,
                    const data::Dataset<2>& batches, int64_t classes) {
  NoGrad off;
  Classified seen{report::ConfusionMatrix(classes)};
  auto score = function([&](Tensor x, Tensor y) {
    Tensor rows = logits(x);
    return std::pair(argmax(rows, {.axis = -1}),
                     cast(cross_entropy(rows, y), DType::kF64));
  });
  double total = 0;
  for (auto& [x, y] : batches) {
    auto [taken_for, loss] = score(x, y);
    seen.confusion.add(y, taken_for);
    total += loss.item<double>() * static_cast<double>(y.num_elements());
  }
  int64_t count = seen.confusion.total();
  seen.loss = count > 0 ? total / static_cast<double>(count) : 0;
  return seen;
}

Classified classify(nn::Module& model, const data::Dataset<2>& batches,
                    int64_t classes) {
  bool training = model.training();
  model.eval();
  Classified seen =
      classify([&](const Tensor& x) { return model(x); }, batches, classes);
  model.train(training);
  return seen;
}

}  // namespace sluice::train
