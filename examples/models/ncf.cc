// Neural collaborative filtering: He, Liao, Zhang, Nie, Hu, Chua, 2017. Users
// and items as many as in MovieLens-1M; who likes what is drawn from hidden
// tastes.
#include <random>

#include "examples/models/classifier.h"
#include "examples/models/kinds.h"

namespace sluice::models {
namespace {

struct Ncf : nn::Module {
  Ncf(int64_t users, int64_t items, int64_t factors,
      const std::vector<int64_t>& layers)
      : mf_user(users, factors),
        mf_item(items, factors),
        mlp_user(users, layers[0] / 2),
        mlp_item(items, layers[0] / 2),
        head(factors + layers.back(), 1) {
    for (size_t i = 0; i + 1 < layers.size(); ++i) {
      mlp.emplace_back<nn::Linear>(layers[i], layers[i + 1]);
      mlp.emplace_back<nn::ReLU>();
    }
    add("mf_user", mf_user), add("mf_item", mf_item);
    add("mlp_user", mlp_user), add("mlp_item", mlp_item);
    add("mlp", mlp), add("head", head);
  }
  // How much users like items: logits.
  Tensor operator()(const Tensor& users, const Tensor& items) {
    Tensor mf = mf_user(users) * mf_item(items);
    Tensor deep = mlp(concat({mlp_user(users), mlp_item(items)}, {.axis = 1}));
    return flatten(head(concat({mf, deep}, {.axis = 1})));
  }

  nn::Embedding mf_user, mf_item, mlp_user, mlp_item;
  nn::Sequential mlp;
  nn::Linear head;
};

class NcfTask : public Task {
 public:
  explicit NcfTask(const TaskOptions& o)
      : users_(o.width < 1 ? 200 : 6040),
        items_(o.width < 1 ? 100 : 3706),
        net_(users_, items_, scaled(64, o.width),
             {scaled(256, o.width), scaled(256, o.width), scaled(128, o.width),
              scaled(64, o.width)}) {}

  nn::Module& model() override { return net_; }
  Batch batch(int64_t size, uint64_t seed) override {
    std::mt19937_64 random(seed);
    std::vector<int64_t> users, items;
    std::vector<float> liked;
    for (int64_t i = 0; i < size; ++i) {
      users.push_back(static_cast<int64_t>(random() % uint64_t(users_)));
      items.push_back(static_cast<int64_t>(random() % uint64_t(items_)));
      liked.push_back((users.back() % 7) * (items.back() % 5) % 3 == 0);
    }
    return {constant(users), constant(items), constant(liked)};
  }
  Tensor loss(const Batch& batch) override {
    return mean(bce_with_logits_loss(net_(batch[0], batch[1]), batch[2]));
  }

 private:
  int64_t users_, items_;
  Ncf net_;
};

}  // namespace

MadeTask make_ncf(const TaskOptions& options) {
  return std::make_unique<NcfTask>(options);
}

}  // namespace sluice::models
