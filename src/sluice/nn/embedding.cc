#include "sluice/nn/embedding.h"

#include "sluice/eager/constants.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/index.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/init.h"
#include "sluice/ops.h"

namespace sluice::nn {

namespace {

Tensor NewTable(std::string_view type, int64_t rows, int64_t size, DType dtype,
                std::source_location where) {
  SL_WANT(rows > 0 && size > 0, where, type, ": num_embeddings is ", rows,
          ", embedding_dim is ", size, "; wanted both positive");
  return init::NewNormal({rows, size}, 1, dtype);
}

}  // namespace

Embedding::Embedding(int64_t num_embeddings, int64_t embedding_dim,
                     const EmbeddingOptions& options, Where where)
    : options_(options) {
  weight =
      add_parameter("weight", NewTable("Embedding", num_embeddings,
                                       embedding_dim, options.dtype, where));
  if (!options.padding_idx) return;
  int64_t row = *options.padding_idx;
  SL_WANT(row >= -num_embeddings && row < num_embeddings, where,
          "Embedding: padding_idx is ", row, "; wanted a row of ",
          num_embeddings);
  if (row < 0) *options_.padding_idx = row += num_embeddings;
  NoGrad off;
  weight.set({row}, 0.f);
}

Tensor Embedding::forward(Tensor ids) {
  return embedding(
      ids, weight,
      {.padding_idx = options_.padding_idx, .sparse = options_.sparse}, line());
}

std::string Embedding::extra_repr() const {
  std::string text = StrCat(weight.dim(0), ", ", weight.dim(1));
  if (options_.padding_idx) {
    StrAppend(text, ", padding_idx=", *options_.padding_idx);
  }
  if (options_.sparse) text += ", sparse=true";
  return text;
}

EmbeddingBag::EmbeddingBag(int64_t num_embeddings, int64_t embedding_dim,
                           const EmbeddingBagOptions& options, Where where)
    : options_(options) {
  SL_WANT(options.mode == "mean" || options.mode == "sum", where,
          "EmbeddingBag: mode is \"", options.mode, "\"; wanted mean or sum");
  weight =
      add_parameter("weight", NewTable("EmbeddingBag", num_embeddings,
                                       embedding_dim, options.dtype, where));
}

Tensor EmbeddingBag::forward(Tensor ids) {
  SL_WANT(ids.rank() == 2, line(), "EmbeddingBag: ids are ",
          TypeText(ids.dtype(), ids.shape()),
          "; wanted [bags, ids], or a vector and offsets");
  return embedding_bag_of_rows(weight, ids, options_.mode, line());
}

Tensor EmbeddingBag::forward(Tensor ids, Tensor offsets) {
  return embedding_bag(weight, ids, offsets, {.mode = options_.mode}, {},
                       line());
}

std::string EmbeddingBag::extra_repr() const {
  return StrCat(weight.dim(0), ", ", weight.dim(1), ", mode=", options_.mode);
}

}  // namespace sluice::nn
