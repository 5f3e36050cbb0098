// A training step written once does the same imperatively and recorded: to
// parameters, to running statistics, and to the loss.
#include <gtest/gtest.h>
#include <sluice/sluice.h>

namespace sluice::nn {
namespace {

using Floats = std::vector<float>;

struct ConvNet : Module {
  Conv2d conv1{1, 4, 3, {.padding = 1, .bias = false}};
  BatchNorm2d bn1{4};
  MaxPool2d pool{2};
  Conv2d conv2{4, 8, 3};
  BatchNorm2d bn2{8, {.momentum = std::nullopt}};
  AdaptiveAvgPool2d average{1};
  Linear fc{8, 3};
  ConvNet() {
    add("conv1", conv1);
    add("bn1", bn1);
    add("pool", pool);
    add("conv2", conv2);
    add("bn2", bn2);
    add("average", average);
    add("fc", fc);
  }
  Tensor forward(Tensor x) override {
    x = pool(relu(bn1(conv1(x))));
    x = relu(bn2(conv2(x)));
    return fc(flatten(average(x), 1));
  }
};

struct TextNet : Module {
  Embedding table{11, 8};
  TransformerEncoder encoder{2,
                             8,
                             2,
                             {.dim_feedforward = 16,
                              .dropout = 0,
                              .batch_first = true,
                              .norm_first = true},
                             true};
  Linear head{8, 3};
  TextNet() {
    add("table", table);
    add("encoder", encoder);
    add("head", head);
  }
  Tensor forward(Tensor ids) override {
    Tensor x = encoder(table(ids), {.is_causal = true});
    return head(mean(x, {.axes = {1}}));
  }
};

// Losses of some steps, then the whole state.
template <class Net>
Floats Train(bool recorded, const std::vector<Tensor>& batches,
             const std::vector<Tensor>& labels) {
  manual_seed(11);
  Net net;
  std::vector<Tensor> parameters = net.parameters();
  auto body = [&](Tensor x, Tensor y) {
    Tensor loss = cross_entropy(net(x), y);
    net.zero_grad();
    loss.backward();
    NoGrad off;
    for (const Tensor& p : parameters) p.sub_(0.1f * p.grad());
    return loss;
  };
  auto step = function(body);
  Floats seen;
  for (size_t i = 0; i < batches.size(); ++i) {
    Tensor loss =
        recorded ? step(batches[i], labels[i]) : body(batches[i], labels[i]);
    seen.push_back(loss.item<float>());
  }
  for (const auto& [name, tensor] : net.state_dict()) {
    if (tensor.dtype() == DType::kI64) {
      seen.push_back(static_cast<float>(tensor.template item<int64_t>()));
      continue;
    }
    for (float v : tensor.template to_vector<float>()) seen.push_back(v);
  }
  return seen;
}

template <class Net>
void Compare(const std::vector<Tensor>& batches,
             const std::vector<Tensor>& labels) {
  Floats once = Train<Net>(false, batches, labels);
  Floats again = Train<Net>(true, batches, labels);
  ASSERT_EQ(once.size(), again.size());
  for (size_t i = 0; i < once.size(); ++i) {
    ASSERT_NEAR(once[i], again[i], 2e-5) << i;
  }
  EXPECT_LT(once[batches.size() - 1], once[0]);
}

TEST(Training, OfImagesIsTheSameRecorded) {
  manual_seed(2);
  std::vector<Tensor> images, labels;
  Tensor image = random_normal({6, 1, 8, 8});
  for (int i = 0; i < 6; ++i) {
    // The last batch is smaller, as it is in life.
    bool last = i == 5;
    images.push_back(last ? image[{slice(0, 4)}] : image);
    labels.push_back(last ? constant({0, 1, 2, 0})
                          : constant({0, 1, 2, 0, 1, 2}));
  }
  Compare<ConvNet>(images, labels);
}

TEST(Training, OfTextIsTheSameRecorded) {
  std::vector<Tensor> texts(
      6, constant({{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 0, 1}}));
  std::vector<Tensor> labels(6, constant({2, 0, 1}));
  Compare<TextNet>(texts, labels);
}

}  // namespace
}  // namespace sluice::nn
