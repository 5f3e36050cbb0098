// Classifier: images in, one of so many classes out; learns by cross entropy.
#pragma once

#include "examples/models/task.h"

namespace sluice::models {

// Channels of a model of that width: at least 4, and a multiple of 4.
int64_t scaled(int64_t channels, double width);

// The images of the real thing are of another size: these are drawn from the
// seed, each class with a pattern of its own, so that there is something to
// learn.
Task::Batch pictures(int64_t size, int64_t channels, int64_t side,
                     int64_t classes, uint64_t seed);

template <class Net>
class Classifier : public Task {
 public:
  // Net(options) has members image and classes; its images have 3 channels.
  explicit Classifier(const TaskOptions& options) : net_(options) {}

  nn::Module& model() override { return net_; }
  Batch batch(int64_t size, uint64_t seed) override {
    return pictures(size, 3, net_.image, net_.classes, seed);
  }
  Tensor loss(const Batch& batch) override {
    return cross_entropy(net_(batch[0]), batch[1]);
  }

 private:
  Net net_;
};

template <class Net>
std::unique_ptr<Task> make_classifier(const TaskOptions& options) {
  return std::make_unique<Classifier<Net>>(options);
}

}  // namespace sluice::models
