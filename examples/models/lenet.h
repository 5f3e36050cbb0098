// LeNet-5: LeCun, Bottou, Bengio, Haffner, "Gradient-based learning applied to
// document recognition", 1998; with relu and max pooling. Images [n, 1, 28,
// 28].
#pragma once

#include <sluice/sluice.h>

namespace sluice::models {

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

}  // namespace sluice::models
