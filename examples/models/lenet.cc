// What reads handwritten digits: LeNet-5, and a network of one hidden layer.
#include "examples/models/lenet.h"

#include "examples/models/kinds.h"

namespace sluice::models {
namespace {

struct Mlp : nn::Module {
  Mlp() { add("fc1", fc1), add("fc2", fc2); }
  Tensor forward(Tensor x) override { return fc2(relu(fc1(flatten(x, 1)))); }

  nn::Linear fc1{784, 100}, fc2{100, 10};
};

template <class Net>
class Digits : public Task {
 public:
  nn::Module& model() override { return net_; }
  Batch batch(int64_t size, uint64_t seed) override {
    auto drawn = train_.shuffle(kAll, seed).batch(size);
    for (auto& [images, labels] : drawn) return {images, labels};
    return {};
  }
  Tensor loss(const Batch& batch) override {
    return cross_entropy(net_(batch[0]), batch[1]);
  }
  train::Metrics evaluate() override {
    auto unseen = data::mnist("test", {.flat = false}).batch(500);
    return train::classify(net_, unseen).metrics();
  }

 private:
  static constexpr int64_t kAll = 100'000;  // more than there are

  data::Dataset<2> train_ = data::mnist("train", {.flat = false});
  Net net_;
};

}  // namespace

MadeTask make_lenet(const TaskOptions&) {
  return std::make_unique<Digits<LeNet>>();
}
MadeTask make_mlp(const TaskOptions&) {
  return std::make_unique<Digits<Mlp>>();
}

}  // namespace sluice::models
