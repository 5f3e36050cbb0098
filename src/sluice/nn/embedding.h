// Embedding: rows of a table by number; EmbeddingBag: sums or means of them.
#pragma once

#include <optional>

#include "sluice/nn/module.h"

namespace sluice::nn {

struct EmbeddingOptions {
  // The row of padding: zeros at first, and without a gradient.
  std::optional<int64_t> padding_idx{};
  // The gradient has only the rows that were used (Tensor::is_sparse), and
  // optimizers change only them.
  bool sparse = false;
  DType dtype = DType::kF32;
};

class Embedding : public Module {
 public:
  Embedding(int64_t num_embeddings, int64_t embedding_dim,
            const EmbeddingOptions& options = {},
            Where where = Where::current());

  // ids of any shape, i32 or i64; the result has one axis more.
  Tensor forward(Tensor ids) override;
  std::string extra_repr() const override;

  Tensor weight;  // [num_embeddings, embedding_dim]

 private:
  EmbeddingOptions options_;
};

struct EmbeddingBagOptions {
  std::string mode = "mean";  // or sum
  DType dtype = DType::kF32;
};

class EmbeddingBag : public Module {
 public:
  EmbeddingBag(int64_t num_embeddings, int64_t embedding_dim,
               const EmbeddingBagOptions& options = {},
               Where where = Where::current());

  // Each row of a matrix of ids is a bag.
  Tensor forward(Tensor ids) override;
  // Bag b is of ids[offsets[b]] up to ids[offsets[b + 1]].
  Tensor forward(Tensor ids, Tensor offsets);
  using Module::operator();
  Tensor operator()(Tensor ids, Tensor offsets,
                    Where where = Where::current()) {
    return noted(where, [&] { return forward(ids, offsets); });
  }
  std::string extra_repr() const override;

  Tensor weight;  // [num_embeddings, embedding_dim]

 private:
  EmbeddingBagOptions options_;
};

}  // namespace sluice::nn
