// VGG-A: Simonyan, Zisserman, "Very deep convolutional networks for large-scale
// image recognition", 2014; eleven layers with weights.
#include "examples/models/classifier.h"
#include "examples/models/kinds.h"

namespace sluice::models {
namespace {

constexpr int64_t kPool = 0;
constexpr int64_t kLayers[] = {64,  kPool, 128,   kPool, 256, 256,  kPool,
                               512, 512,   kPool, 512,   512, kPool};

struct VggA : nn::Module {
  explicit VggA(const TaskOptions& o)
      : image(o.image ? o.image : 224), classes(o.classes ? o.classes : 1000) {
    int64_t channels = 3, side = image;
    for (int64_t width : kLayers) {
      if (width == kPool) {
        features.emplace_back<nn::MaxPool2d>(2);
        side /= 2;
        continue;
      }
      int64_t next = scaled(width, o.width);
      features.emplace_back<nn::Conv2d>(channels, next, 3,
                                        nn::ConvOptions{.padding = 1});
      features.emplace_back<nn::ReLU>();
      channels = next;
    }
    int64_t wide = scaled(4096, o.width);
    double dropout = o.dropout < 0 ? 0.5 : o.dropout;
    classifier.emplace_back<nn::Linear>(channels * side * side, wide);
    classifier.emplace_back<nn::ReLU>();
    classifier.emplace_back<nn::Dropout>(dropout);
    classifier.emplace_back<nn::Linear>(wide, wide);
    classifier.emplace_back<nn::ReLU>();
    classifier.emplace_back<nn::Dropout>(dropout);
    classifier.emplace_back<nn::Linear>(wide, classes);
    add("features", features), add("classifier", classifier);
  }
  Tensor forward(Tensor x) override {
    return classifier(flatten(features(x), 1));
  }

  const int64_t image, classes;
  nn::Sequential features, classifier;
};

}  // namespace

MadeTask make_vgg_a(const TaskOptions& options) {
  return make_classifier<VggA>(options);
}

}  // namespace sluice::models
