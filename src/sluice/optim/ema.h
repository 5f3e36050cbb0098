// Ema: running means of parameters, which often do better than the last ones.
//
//   sl::optim::Ema ema(net.parameters(), {.decay = 0.999});
//   optimizer.step();  ema.update();           // also in a function
//   { auto means = ema.use();  Evaluate(net); }  // parameters are the means
//
// In a graph, update() returns the operation to run, value(i) the mean of the
// i-th variable. Tensors are shared with the program. Not thread safe.
#pragma once

#include <vector>

#include "sluice/front/state_dict.h"
#include "sluice/optim/parameters.h"

namespace sluice::optim {

struct EmaOptions {
  double decay = 0.999;
  // In the first updates the decay is (1 + n) / (10 + n) where that is less, so
  // that the mean is not held back by the beginning.
  bool ramp = false;
};

class Ema {
 public:
  // The means begin as the parameters are.
  explicit Ema(const Parameters& parameters, const EmaOptions& options = {});

  // mean = decay mean + (1 - decay) parameter
  Operation update();

  // While this lives, the parameters have the means for values.
  class [[nodiscard]] Use {
   public:
    explicit Use(Ema& ema);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Ema& ema_;
    std::vector<Tensor> saved_;
  };
  Use use() { return Use(*this); }

  Tensor value(size_t i) const { return means_.at(i).read(); }
  size_t size() const { return means_.size(); }

  // "<parameter>.ema" for each, "updates". load_state_dict copies, and throws
  // before it changes anything when something is missing or does not fit.
  StateDict state_dict() const;
  void load_state_dict(const StateDict& state);

 private:
  EmaOptions options_;
  std::vector<std::string> names_;
  std::vector<Variable> parameters_, means_;
  Variable updates_;
};

}  // namespace sluice::optim
