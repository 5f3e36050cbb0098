// ResNet-50: He, Zhang, Ren, Sun, "Deep residual learning for image
// recognition", 2015; stride in the 3x3 convolutions.
#include "examples/models/classifier.h"
#include "examples/models/kinds.h"

namespace sluice::models {
namespace {

struct Bottleneck : nn::Module {
  Bottleneck(int64_t channels, int64_t width, int64_t stride)
      : conv1(channels, width, 1, {.bias = false}),
        bn1(width),
        conv2(width, width, 3, {.stride = stride, .padding = 1, .bias = false}),
        bn2(width),
        conv3(width, 4 * width, 1, {.bias = false}),
        bn3(4 * width) {
    add("conv1", conv1), add("bn1", bn1);
    add("conv2", conv2), add("bn2", bn2);
    add("conv3", conv3), add("bn3", bn3);
    if (stride == 1 && channels == 4 * width) return;
    downsample = add("downsample", nn::make<nn::Sequential>());
    downsample->emplace_back<nn::Conv2d>(
        channels, 4 * width, 1,
        nn::ConvOptions{.stride = stride, .bias = false});
    downsample->emplace_back<nn::BatchNorm2d>(4 * width);
  }
  Tensor forward(Tensor x) override {
    Tensor y = relu(bn1(conv1(x)));
    y = relu(bn2(conv2(y)));
    y = bn3(conv3(y));
    return relu(y + (downsample ? (*downsample)(x) : x));
  }

  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Conv2d conv2;
  nn::BatchNorm2d bn2;
  nn::Conv2d conv3;
  nn::BatchNorm2d bn3;
  std::shared_ptr<nn::Sequential> downsample;
};

struct ResNet50 : nn::Module {
  explicit ResNet50(const TaskOptions& o)
      : image(o.image ? o.image : 224),
        classes(o.classes ? o.classes : 1000),
        base(scaled(64, o.width)),
        conv1(3, base, 7, {.stride = 2, .padding = 3, .bias = false}),
        bn1(base),
        fc(32 * base, classes) {
    add("conv1", conv1), add("bn1", bn1);
    int64_t channels = base;
    const int counts[] = {3, 4, 6, 3};
    for (int i = 0; i < 4; ++i) {
      auto layer =
          add("layer" + std::to_string(i + 1), nn::make<nn::Sequential>());
      for (int k = 0; k < counts[i]; ++k) {
        int64_t width = base << i;
        layer->emplace_back<Bottleneck>(channels, width,
                                        i > 0 && k == 0 ? 2 : 1);
        channels = 4 * width;
      }
      layers.push_back(layer);
    }
    add("fc", fc);
  }
  Tensor forward(Tensor x) override {
    x = relu(bn1(conv1(x)));
    x = max_pool2d(x, {3, 3}, {.strides = {2}, .padding = {1}});
    for (auto& layer : layers) x = (*layer)(x);
    return fc(mean(x, {.axes = {2, 3}}));
  }

  const int64_t image, classes, base;
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  std::vector<std::shared_ptr<nn::Sequential>> layers;
  nn::Linear fc;
};

}  // namespace

MadeTask make_resnet50(const TaskOptions& options) {
  return make_classifier<ResNet50>(options);
}

}  // namespace sluice::models
