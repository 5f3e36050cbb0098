// word2vec: Mikolov, Chen, Corrado, Dean, "Efficient estimation of word
// representations in vector space", 2013: from a word, those around it; by
// sampled softmax over the words of the project's text.
#include <random>

#include "examples/models/classifier.h"
#include "examples/models/kinds.h"
#include "examples/models/text.h"

namespace sluice::models {
namespace {

struct SkipGram : nn::Module {
  SkipGram(int64_t vocabulary, int64_t width)
      : words(vocabulary, width, {.sparse = true}) {
    add("words", words);
    weight = add_parameter("weight", zeros({vocabulary, width}).clone());
    bias = add_parameter("bias", zeros({vocabulary}).clone());
  }

  nn::Embedding words;
  Tensor weight, bias;
};

class SkipGramTask : public Task {
 public:
  static constexpr int64_t kReach = 2;  // words to either side

  explicit SkipGramTask(const TaskOptions& o)
      : text_(models::words(o.width < 1 ? 500 : 5000)),
        net_(static_cast<int64_t>(text_.meaning.size()), scaled(128, o.width)),
        samples_(o.width < 1 ? 32 : 64) {}

  nn::Module& model() override { return net_; }
  Batch batch(int64_t size, uint64_t seed) override {
    std::mt19937_64 random(seed);
    std::vector<int64_t> centre, near;
    auto last = static_cast<int64_t>(text_.ids.size()) - kReach;
    while (static_cast<int64_t>(centre.size()) < size) {
      int64_t at =
          kReach +
          static_cast<int64_t>(random() % static_cast<uint64_t>(last - kReach));
      int64_t off = 1 + static_cast<int64_t>(random() % uint64_t(kReach));
      if (random() % 2 == 0) off = -off;
      centre.push_back(text_.ids[static_cast<size_t>(at)]);
      near.push_back(text_.ids[static_cast<size_t>(at + off)]);
    }
    return {constant(centre), constant(near)};
  }
  Tensor loss(const Batch& batch) override {
    return mean(sampled_softmax_loss({net_.weight}, net_.bias, batch[1],
                                     net_.words(batch[0]), samples_,
                                     net_.weight.dim(0)));
  }

 private:
  Coded text_;
  SkipGram net_;
  int64_t samples_;
};

}  // namespace

MadeTask make_word2vec(const TaskOptions& options) {
  return std::make_unique<SkipGramTask>(options);
}

}  // namespace sluice::models
