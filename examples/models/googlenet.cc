// GoogLeNet: Szegedy et al., "Going deeper with convolutions", 2014; with batch
// normalisation after every convolution, and without the two extra heads.
#include "examples/models/classifier.h"
#include "examples/models/kinds.h"

namespace sluice::models {
namespace {

struct ConvBlock : nn::Module {
  ConvBlock(int64_t in, int64_t out, int64_t size, int64_t stride = 1)
      : conv(in, out, size,
             {.stride = stride, .padding = size / 2, .bias = false}),
        bn(out, {.eps = 1e-3}) {
    add("conv", conv), add("bn", bn);
  }
  Tensor forward(Tensor x) override { return relu(bn(conv(x))); }

  nn::Conv2d conv;
  nn::BatchNorm2d bn;
};

// Channels of the four branches; the second and third narrow them first.
struct Widths {
  int64_t one, three_first, three, five_first, five, pooled;
};

struct Inception : nn::Module {
  Inception(int64_t in, const Widths& w, double scale)
      : branch1(in, scaled(w.one, scale), 1),
        branch4(in, scaled(w.pooled, scale), 1),
        out(branch1.conv.weight.dim(0) + scaled(w.three, scale) +
            scaled(w.five, scale) + branch4.conv.weight.dim(0)) {
    branch2.emplace_back<ConvBlock>(in, scaled(w.three_first, scale), 1);
    branch2.emplace_back<ConvBlock>(scaled(w.three_first, scale),
                                    scaled(w.three, scale), 3);
    branch3.emplace_back<ConvBlock>(in, scaled(w.five_first, scale), 1);
    branch3.emplace_back<ConvBlock>(scaled(w.five_first, scale),
                                    scaled(w.five, scale), 5);
    add("branch1", branch1), add("branch2", branch2);
    add("branch3", branch3), add("branch4", branch4);
  }
  Tensor forward(Tensor x) override {
    Tensor pooled = max_pool2d(x, {3, 3}, {.strides = {1}, .padding = {1}});
    return concat({branch1(x), branch2(x), branch3(x), branch4(pooled)},
                  {.axis = 1});
  }

  ConvBlock branch1;
  nn::Sequential branch2, branch3;
  ConvBlock branch4;
  const int64_t out;
};

struct GoogLeNet : nn::Module {
  explicit GoogLeNet(const TaskOptions& o)
      : image(o.image ? o.image : 224),
        classes(o.classes ? o.classes : 1000),
        conv1(3, scaled(64, o.width), 7, 2),
        conv2(scaled(64, o.width), scaled(64, o.width), 1),
        conv3(scaled(64, o.width), scaled(192, o.width), 3),
        dropout(o.dropout < 0 ? 0.4 : o.dropout) {
    add("conv1", conv1), add("conv2", conv2), add("conv3", conv3);
    const Widths widths[] = {
        {64, 96, 128, 16, 32, 32},     {128, 128, 192, 32, 96, 64},
        {192, 96, 208, 16, 48, 64},    {160, 112, 224, 24, 64, 64},
        {128, 128, 256, 24, 64, 64},   {112, 144, 288, 32, 64, 64},
        {256, 160, 320, 32, 128, 128}, {256, 160, 320, 32, 128, 128},
        {384, 192, 384, 48, 128, 128}};
    const char* names[] = {"3a", "3b", "4a", "4b", "4c",
                           "4d", "4e", "5a", "5b"};
    int64_t channels = scaled(192, o.width);
    for (size_t i = 0; i < 9; ++i) {
      auto block = nn::make<Inception>(channels, widths[i], o.width);
      inceptions.push_back(add(std::string("inception") + names[i], block));
      channels = block->out;
    }
    fc = add("fc", nn::make<nn::Linear>(channels, classes));
    add("dropout", dropout);
  }
  Tensor forward(Tensor x) override {
    auto pool = [](const Tensor& t) {
      return max_pool2d(t, {3, 3}, {.strides = {2}, .padding = {1}});
    };
    x = pool(conv1(x));
    x = pool(conv3(conv2(x)));
    for (size_t i = 0; i < 9; ++i) {
      if (i == 2 || i == 7) x = pool(x);
      x = (*inceptions[i])(x);
    }
    return (*fc)(dropout(mean(x, {.axes = {2, 3}})));
  }

  const int64_t image, classes;
  ConvBlock conv1, conv2, conv3;
  std::vector<std::shared_ptr<Inception>> inceptions;
  nn::Dropout dropout;
  std::shared_ptr<nn::Linear> fc;
};

}  // namespace

MadeTask make_googlenet(const TaskOptions& options) {
  return make_classifier<GoogLeNet>(options);
}

}  // namespace sluice::models
