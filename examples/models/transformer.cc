// A small Transformer that says the next letter: Vaswani et al., "Attention is
// all you need", 2017; with normalisation first, and learned places.
#include <random>

#include "examples/models/classifier.h"
#include "examples/models/kinds.h"
#include "examples/models/text.h"

namespace sluice::models {
namespace {

struct Block : nn::Module {
  Block(int64_t width, int64_t heads)
      : norm1(width),
        attention(width, heads, {.batch_first = true}),
        norm2(width),
        up(width, 4 * width),
        down(4 * width, width) {
    add("norm1", norm1), add("attention", attention);
    add("norm2", norm2), add("up", up), add("down", down);
  }
  Tensor forward(Tensor x) override {
    Tensor y = norm1(x);
    // Every place looks at itself and at what is before it.
    x = x + attention(y, y, y, {.is_causal = true});
    return x + down(gelu(up(norm2(x))));
  }

  nn::LayerNorm norm1;
  nn::MultiheadAttention attention;
  nn::LayerNorm norm2;
  nn::Linear up, down;
};

struct Language : nn::Module {
  Language(int64_t vocabulary, int64_t length, int64_t width, int64_t heads,
           int64_t depth)
      : tokens(vocabulary, width), norm(width), head(width, vocabulary) {
    places = add_parameter("places", zeros({length, width}).clone());
    add("tokens", tokens), add("blocks", blocks);
    add("norm", norm), add("head", head);
    for (int64_t i = 0; i < depth; ++i)
      blocks.emplace_back<Block>(width, heads);
  }
  // ids [batch, length] to logits [batch * length, vocabulary].
  Tensor forward(Tensor ids) override {
    Tensor x = blocks(tokens(ids) + places);
    return flatten(head(norm(x)), 0, 1);
  }

  nn::Embedding tokens;
  Tensor places;
  nn::Sequential blocks;
  nn::LayerNorm norm;
  nn::Linear head;
};

class LanguageTask : public Task {
 public:
  explicit LanguageTask(const TaskOptions& o)
      : length_(o.width < 1 ? 32 : 128),
        net_(static_cast<int64_t>(letters().meaning.size()), length_,
             scaled(256, o.width), 4, o.width < 1 ? 2 : 4) {}

  nn::Module& model() override { return net_; }
  Batch batch(int64_t size, uint64_t seed) override {
    const std::vector<int64_t>& text = letters().ids;
    std::mt19937_64 random(seed);
    std::vector<int64_t> now, next;
    for (int64_t i = 0; i < size; ++i) {
      size_t at = random() % (text.size() - size_t(length_) - 1);
      auto from = text.begin() + static_cast<int64_t>(at);
      now.insert(now.end(), from, from + length_);
      next.insert(next.end(), from + 1, from + length_ + 1);
    }
    return {reshape(constant(now), {size, length_}),
            reshape(constant(next), {size, length_})};
  }
  Tensor loss(const Batch& batch) override {
    return cross_entropy(net_(batch[0]), flatten(batch[1]));
  }

 private:
  int64_t length_;
  Language net_;
};

}  // namespace

MadeTask make_transformer(const TaskOptions& options) {
  return std::make_unique<LanguageTask>(options);
}

}  // namespace sluice::models
