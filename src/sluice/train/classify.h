// classify: how well a model tells classes apart.
//
//   train::Classified seen = train::classify(net,
//   data::mnist("test").batch(500)); std::cout << seen.confusion.text();
#pragma once

#include <functional>

#include "sluice/data/dataset.h"
#include "sluice/report/confusion.h"
#include "sluice/train/trainer.h"

namespace sluice::train {

struct Classified {
  report::ConfusionMatrix confusion;
  double loss = 0;  // mean cross entropy
  Metrics metrics() const {
    return {{"loss", loss}, {"accuracy", confusion.accuracy()}};
  }
};

// One pass over batches of inputs and labels; `logits` gives one row for each.
// Without gradients; a Module is put into eval() for the while.
Classified classify(const std::function<Tensor(const Tensor&)>& logits,
                    const data::Dataset<2>& batches, int64_t classes = 10);
Classified classify(nn::Module& model, const data::Dataset<2>& batches,
                    int64_t classes = 10);

}  // namespace sluice::train
