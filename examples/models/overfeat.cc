// OverFeat, the fast model: Sermanet, Eigen, Zhang, Mathieu, Fergus, LeCun,
// "OverFeat: integrated recognition, localization and detection", 2013.
#include "examples/models/classifier.h"
#include "examples/models/kinds.h"

namespace sluice::models {
namespace {

struct OverFeat : nn::Module {
  explicit OverFeat(const TaskOptions& o)
      : image(o.image ? o.image : 231), classes(o.classes ? o.classes : 1000) {
    auto width = [&](int64_t channels) { return scaled(channels, o.width); };
    int64_t side = image;
    auto conv = [&](int64_t in, int64_t out, int64_t size, int64_t stride,
                    int64_t padding) {
      features.emplace_back<nn::Conv2d>(
          in, out, size, nn::ConvOptions{.stride = stride, .padding = padding});
      features.emplace_back<nn::ReLU>();
      side = (side + 2 * padding - size) / stride + 1;
    };
    auto pool = [&] {
      features.emplace_back<nn::MaxPool2d>(2);
      side /= 2;
    };
    conv(3, width(96), 11, 4, 0), pool();
    conv(width(96), width(256), 5, 1, 0), pool();
    conv(width(256), width(512), 3, 1, 1);
    conv(width(512), width(1024), 3, 1, 1);
    conv(width(1024), width(1024), 3, 1, 1), pool();

    double dropout = o.dropout < 0 ? 0.5 : o.dropout;
    classifier.emplace_back<nn::Linear>(width(1024) * side * side, width(3072));
    classifier.emplace_back<nn::ReLU>();
    classifier.emplace_back<nn::Dropout>(dropout);
    classifier.emplace_back<nn::Linear>(width(3072), width(4096));
    classifier.emplace_back<nn::ReLU>();
    classifier.emplace_back<nn::Dropout>(dropout);
    classifier.emplace_back<nn::Linear>(width(4096), classes);
    add("features", features), add("classifier", classifier);
  }
  Tensor forward(Tensor x) override {
    return classifier(flatten(features(x), 1));
  }

  const int64_t image, classes;
  nn::Sequential features, classifier;
};

}  // namespace

MadeTask make_overfeat(const TaskOptions& options) {
  return make_classifier<OverFeat>(options);
}

}  // namespace sluice::models
