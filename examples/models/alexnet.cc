// AlexNet, in one tower: Krizhevsky, "One weird trick for parallelizing
// convolutional neural networks", 2014.
#include "examples/models/classifier.h"
#include "examples/models/kinds.h"

namespace sluice::models {
namespace {

struct AlexNet : nn::Module {
  explicit AlexNet(const TaskOptions& o)
      : image(o.image ? o.image : 224), classes(o.classes ? o.classes : 1000) {
    auto width = [&](int64_t channels) { return scaled(channels, o.width); };
    auto conv = [&](int64_t in, int64_t out, int64_t size, int64_t stride,
                    int64_t padding) {
      features.emplace_back<nn::Conv2d>(
          in, out, size, nn::ConvOptions{.stride = stride, .padding = padding});
      features.emplace_back<nn::ReLU>();
    };
    auto pool = [&] {
      features.emplace_back<nn::MaxPool2d>(3, nn::MaxPoolOptions{.stride = 2});
    };
    conv(3, width(64), 11, 4, 2), pool();
    conv(width(64), width(192), 5, 1, 2), pool();
    conv(width(192), width(384), 3, 1, 1);
    conv(width(384), width(256), 3, 1, 1);
    conv(width(256), width(256), 3, 1, 1), pool();

    double dropout = o.dropout < 0 ? 0.5 : o.dropout;
    classifier.emplace_back<nn::Dropout>(dropout);
    classifier.emplace_back<nn::Linear>(width(256) * 36, width(4096));
    classifier.emplace_back<nn::ReLU>();
    classifier.emplace_back<nn::Dropout>(dropout);
    classifier.emplace_back<nn::Linear>(width(4096), width(4096));
    classifier.emplace_back<nn::ReLU>();
    classifier.emplace_back<nn::Linear>(width(4096), classes);
    add("features", features), add("avgpool", avgpool);
    add("classifier", classifier);
  }
  Tensor forward(Tensor x) override {
    return classifier(flatten(avgpool(features(x)), 1));
  }

  const int64_t image, classes;
  nn::Sequential features, classifier;
  nn::AdaptiveAvgPool2d avgpool{6};
};

}  // namespace

MadeTask make_alexnet(const TaskOptions& options) {
  return make_classifier<AlexNet>(options);
}

}  // namespace sluice::models
