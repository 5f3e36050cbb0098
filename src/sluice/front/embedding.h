// Embeddings: rows of large tables by number, in graphs and imperatively. Their
// gradients are sparse (Tensor::is_sparse), whatever the table's size.
//
//   Tensor x = sl::embedding_lookup(table, words);
//   Tensor y = sl::embedding_lookup({part0, part1, part2}, words);
#pragma once

#include <source_location>
#include <vector>

#include "sluice/eager/operand.h"
#include "sluice/eager/tensor.h"

namespace sluice {

// Which part of a table has row i. kMod: part i % n, as its row i / n, which
// spreads frequent rows. kDiv: parts follow one another, part 0 has the first
// rows; their sizes must be known.
enum class ShardStrategy { kMod, kDiv };

// The rows of a table that ids name, in the shape of ids with a row's axes
// behind. The table is one tensor or the parts it is cut into.
Tensor embedding_lookup(
    const std::vector<Tensor>& shards, const Operand& ids,
    ShardStrategy strategy = ShardStrategy::kMod,
    std::source_location where = std::source_location::current());
Tensor embedding_lookup(
    const Tensor& table, const Operand& ids,
    std::source_location where = std::source_location::current());

struct SampledSoftmaxOptions {
  bool unique = true;  // no class is drawn twice
  // A label of the row that was drawn as well does not count as another class.
  bool remove_accidental_hits = true;
  int64_t seed = 0;
  ShardStrategy strategy = ShardStrategy::kMod;
};

// Cross entropy of softmax(inputs weights' + biases) for labels, one number per
// row of inputs, over the label and `num_sampled` classes drawn log-uniformly
// instead of all: classes are best sorted by how frequent they are. Logits are
// corrected by how often each class was to be expected, so that the expected
// gradient is near that of all classes. For training; weights [classes, size]
// or its parts, biases [classes], labels [batch], inputs [batch, size].
Tensor sampled_softmax_loss(
    const std::vector<Tensor>& weights, const Tensor& biases,
    const Tensor& labels, const Tensor& inputs, int64_t num_sampled,
    int64_t num_classes, const SampledSoftmaxOptions& options = {},
    std::source_location where = std::source_location::current());

}  // namespace sluice
