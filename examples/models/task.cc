#include "examples/models/task.h"

#include <cmath>

#include "examples/models/classifier.h"
#include "examples/models/kinds.h"

namespace sluice::models {

int64_t scaled(int64_t channels, double width) {
  auto fewer = std::llround(static_cast<double>(channels) * width / 4);
  return std::max<int64_t>(4, 4 * fewer);
}

Task::Batch pictures(int64_t size, int64_t channels, int64_t side,
                     int64_t classes, uint64_t seed) {
  // The image of class c is a wave of its own, under noise.
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < size; ++i) {
    labels.push_back((i * 7 + static_cast<int64_t>(seed)) % classes);
  }
  Tensor label = constant(labels);
  Tensor wave = reshape(cast(label, f32) * 0.37f + 1, {size, 1, 1, 1});
  Tensor down = reshape(linspace(0.f, 6.f, side), {1, 1, side, 1});
  Tensor across = reshape(linspace(0.f, 3.f, side), {1, 1, 1, side});
  manual_seed(seed);
  Tensor noise = random_normal({size, channels, side, side});
  return {(sin(wave * down + across) + 0.3f * noise).detach(), label};
}

const std::vector<TaskKind>& task_kinds() {
  static const auto* kinds = new std::vector<TaskKind>{
      {"mlp", "784-100-10 on handwritten digits", 64, "adagrad", 0.02,
       make_mlp},
      {"lenet", "LeNet-5 on handwritten digits", 64, "momentum", 0.02,
       make_lenet},
      {"alexnet", "AlexNet on drawn pictures", 16, "momentum", 0.01,
       make_alexnet},
      {"overfeat", "OverFeat, fast, on drawn pictures", 8, "momentum", 0.01,
       make_overfeat},
      {"vgg_a", "VGG-A on drawn pictures", 4, "momentum", 0.01, make_vgg_a},
      {"googlenet", "GoogLeNet on drawn pictures", 16, "momentum", 0.01,
       make_googlenet},
      {"resnet50", "ResNet-50 on drawn pictures", 8, "momentum", 0.01,
       make_resnet50},
      {"mobilenet_v2", "MobileNet-v2 on drawn pictures", 8, "momentum", 0.01,
       make_mobilenet_v2},
      {"ncf", "neural collaborative filtering of drawn tastes", 1024, "adam",
       1e-3, make_ncf},
      {"word2vec", "words by their neighbours, from English text", 256,
       "adagrad", 0.2, make_word2vec},
      {"transformer", "a Transformer that says the next letter", 16, "adamw",
       1e-3, make_transformer},
  };
  return *kinds;
}

const TaskKind& task_kind(std::string_view name) {
  std::string names;
  for (const TaskKind& kind : task_kinds()) {
    if (name == kind.name) return kind;
    names += std::string(names.empty() ? "" : ", ") + kind.name;
  }
  throw Error(NotFound("there is no model \"" + std::string(name) +
                       "\"; wanted one of " + names));
}

std::unique_ptr<Task> make_task(std::string_view name,
                                const TaskOptions& options) {
  return task_kind(name).make(options);
}

std::unique_ptr<optim::Optimizer> make_optimizer(
    const std::string& kind, double lr, const std::vector<Tensor>& parameters) {
  if (kind == "sgd") {
    return std::make_unique<optim::SGD>(parameters,
                                        optim::SGDOptions{.lr = lr});
  }
  if (kind == "momentum") {
    return std::make_unique<optim::SGD>(
        parameters, optim::SGDOptions{.lr = lr, .momentum = 0.9});
  }
  if (kind == "adagrad") {
    return std::make_unique<optim::Adagrad>(parameters,
                                            optim::AdagradOptions{.lr = lr});
  }
  if (kind == "adam") {
    return std::make_unique<optim::Adam>(parameters,
                                         optim::AdamOptions{.lr = lr});
  }
  if (kind == "adamw") {
    return std::make_unique<optim::AdamW>(parameters,
                                          optim::AdamWOptions{.lr = lr});
  }
  throw Error(NotFound("there is no optimizer \"" + kind +
                       "\"; wanted sgd, momentum, adagrad, adam or adamw"));
}

Function<Tensor, Task::Batch> train_step(Task& task,
                                         optim::Optimizer& optimizer) {
  return function([&](const Task::Batch& batch) {
    Tensor loss = task.loss(batch);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    return loss.detach();
  });
}

}  // namespace sluice::models
