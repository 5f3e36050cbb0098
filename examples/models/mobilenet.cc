// MobileNet-v2: Sandler, Howard, Zhu, Zhmoginov, Chen, "MobileNetV2: inverted
// residuals and linear bottlenecks", 2018.
#include "examples/models/classifier.h"
#include "examples/models/kinds.h"

namespace sluice::models {
namespace {

void add_conv(nn::Sequential& to, int64_t in, int64_t out, int64_t size,
              int64_t stride, int64_t groups, bool activation) {
  to.emplace_back<nn::Conv2d>(in, out, size,
                              nn::ConvOptions{.stride = stride,
                                              .padding = size / 2,
                                              .groups = groups,
                                              .bias = false});
  to.emplace_back<nn::BatchNorm2d>(out);
  if (activation) to.emplace_back<nn::ReLU6>();
}

struct InvertedResidual : nn::Module {
  InvertedResidual(int64_t in, int64_t out, int64_t stride, int64_t grow)
      : keeps(stride == 1 && in == out) {
    int64_t wide = in * grow;
    if (grow != 1) add_conv(conv, in, wide, 1, 1, 1, true);
    add_conv(conv, wide, wide, 3, stride, wide, true);
    add_conv(conv, wide, out, 1, 1, 1, false);
    add("conv", conv);
  }
  Tensor forward(Tensor x) override { return keeps ? x + conv(x) : conv(x); }

  const bool keeps;
  nn::Sequential conv;
};

struct Stage {
  int64_t grow, channels, count, stride;
};
constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2},
                             {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2},
                             {6, 320, 1, 1}};

struct MobileNetV2 : nn::Module {
  explicit MobileNetV2(const TaskOptions& o)
      : image(o.image ? o.image : 224),
        classes(o.classes ? o.classes : 1000),
        dropout(o.dropout < 0 ? 0.2 : o.dropout),
        classifier(scaled(1280, o.width), classes) {
    int64_t channels = scaled(32, o.width);
    add_conv(features, 3, channels, 3, 2, 1, true);
    for (const Stage& s : kStages) {
      int64_t out = scaled(s.channels, o.width);
      for (int64_t k = 0; k < s.count; ++k) {
        features.emplace_back<InvertedResidual>(channels, out,
                                                k == 0 ? s.stride : 1, s.grow);
        channels = out;
      }
    }
    add_conv(features, channels, scaled(1280, o.width), 1, 1, 1, true);
    add("features", features), add("dropout", dropout);
    add("classifier", classifier);
  }
  Tensor forward(Tensor x) override {
    return classifier(dropout(mean(features(x), {.axes = {2, 3}})));
  }

  const int64_t image, classes;
  nn::Sequential features;
  nn::Dropout dropout;
  nn::Linear classifier;
};

}  // namespace

MadeTask make_mobilenet_v2(const TaskOptions& options) {
  return make_classifier<MobileNetV2>(options);
}

}  // namespace sluice::models
