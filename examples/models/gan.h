// Two networks that learn against each other: one makes handwritten digits of
// noise, the other tells them from real ones (Goodfellow et al., "Generative
// adversarial nets", 2014). Each has an optimizer of its own.
#pragma once

#include <sluice/sluice.h>

namespace sluice::models {

class Gan {
 public:
  static constexpr int64_t kNoise = 32;

  explicit Gan(int64_t hidden = 128);

  struct Losses {
    Tensor critic, maker;
  };
  // One step of both, on real images [batch, 784] of numbers from 0 to 1 and
  // noise [batch, kNoise]. May be captured by sl::function.
  Losses step(const Tensor& images, const Tensor& noise);
  // Digits of noise [n, kNoise].
  Tensor make(const Tensor& noise) { return sigmoid(maker_(noise)); }

 private:
  nn::Sequential maker_, critic_;
  optim::Adam improve_maker_, improve_critic_;
};

}  // namespace sluice::models
