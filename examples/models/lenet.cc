// LeNet-5: LeCun, Bottou, Bengio, Haffner, "Gradient-based learning applied to
// document recognition", 1998; with relu and max pooling. And a network of one
// hidden layer. Both read handwritten digits.
#include "examples/models/kinds.h"

namespace sluice::models {
namespace {

struct LeNet : nn::Module {
  LeNet() {
    add("conv1", conv1), add("conv2", conv2);
    add("fc1", fc1), add("fc2", fc2), add("fc3", fc3);
  }
  Tensor forward(Tensor x) override {
    x = max_pool2d(relu(conv1(x)), {2, 2});
    x = max_pool2d(relu(conv2(x)), {2, 2});
    return fc3(relu(fc2(relu(fc1(flatten(x, 1))))));
  }

  nn::Conv2d conv1{1, 6, 5, {.padding = 2}}, conv2{6, 16, 5};
  nn::Linear fc1{400, 120}, fc2{120, 84}, fc3{84, 10};
};

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
