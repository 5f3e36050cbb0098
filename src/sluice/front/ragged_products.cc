#include "sluice/front/ragged_products.h"

#include "sluice/base/strings.h"
#include "sluice/front/ragged_call.h"

namespace sluice {

using front_internal::RaggedCall;
using Where = std::source_location;

Ragged matmul(const Ragged& x, const Operand& w, Where where) {
  RaggedCall call{where};
  if (!x.defined()) call.Throw("matmul: the Ragged holds nothing");
  return Ragged::Assemble(call("MatMul", {x.values(), w}), x.all_splits());
}

Ragged embedding_lookup(const Tensor& table, const Ragged& ids, Where where) {
  RaggedCall call{where};
  if (!ids.defined()) call.Throw("embedding_lookup: the Ragged holds nothing");
  return Ragged::Assemble(call("Gather", {table, ids.values()}),
                          ids.all_splits());
}

Ragged row_scores(const Ragged& q, const Ragged& k, Where where) {
  RaggedCall call{where};
  const Tensor& queries = call.OneLevel("row_scores", q);
  const Tensor& keys = call.OneLevel("row_scores", k);
  std::vector<Tensor> made =
      call.all("RaggedScores", {q.values(), k.values(), queries, keys});
  return Ragged::Assemble(made[0], {queries, made[1]});
}

Ragged row_mix(const Ragged& weights, const Ragged& v, Where where) {
  RaggedCall call{where};
  const Tensor& keys = call.OneLevel("row_mix", v);
  if (weights.depth() != 2) {
    call.Throw(StrCat("row_mix: weights have ", weights.depth(),
                      " levels; wanted 2, as row_scores gives them"));
  }
  const Tensor& queries = weights.splits(0);
  return Ragged::Assemble(
      call("RaggedMix",
           {weights.values(), v.values(), queries, keys, weights.row_splits()}),
      {queries});
}

}  // namespace sluice
