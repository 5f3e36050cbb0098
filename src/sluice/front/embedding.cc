#include "sluice/front/embedding.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"
#include "sluice/eager/operators.h"
#include "sluice/front/beside.h"

namespace sluice {

namespace {

using Ints = std::vector<int64_t>;
using Where = std::source_location;

// Ops of one call of the user's.
struct Caller {
  Where where;
  Tensor operator()(std::string_view op, std::vector<Operand> in,
                    const Attrs& attrs = {}) const {
    return front_internal::CallOne(op, in, attrs, {}, where);
  }
  std::vector<Tensor> all(std::string_view op, std::vector<Operand> in,
                          const Attrs& attrs) const {
    return front_internal::CallMany(op, in, attrs, {}, where);
  }
  [[noreturn]] void Throw(const std::string& message) const {
    throw Error(InvalidArgument(message).WithLine(
        StrCat("at ", SourceLine::From(where))));
  }
};

// Rows are picked where their part of the table is: only rows travel.
Tensor RowsOf(const Caller& call, const Tensor& shard, const Operand& rows) {
  Beside there(shard);
  return call("Gather", {shard, rows});
}

// The sizes of a row; where the program does not know them, its part of the
// table is asked, and does not travel for it.
Operand RowSizes(const Caller& call, const Tensor& shard) {
  PartialShape shape = shard.shape();
  Ints sizes;
  for (int i = 1; i < shape.rank() && shape[i] >= 0; ++i) {
    sizes.push_back(shape[i]);
  }
  if (shape.rank_known() &&
      static_cast<int>(sizes.size()) == shape.rank() - 1) {
    return Array::Vector(std::span<const int64_t>(sizes));
  }
  Beside there(shard);
  return call("Slice", {call("Shape", {shard})},
              {{"begin", Ints{1}}, {"size", Ints{-1}}});
}

// Of every id: which part has it, and as which of its rows.
struct Places {
  Tensor part, row;
};

Places PlacesOf(const Caller& call, const std::vector<Tensor>& shards,
                const Tensor& ids, ShardStrategy strategy) {
  auto num = static_cast<int64_t>(shards.size());
  if (strategy == ShardStrategy::kMod) {
    return {call("Mod", {ids, num}), call("FloorDiv", {ids, num})};
  }
  Ints starts, ends;
  int64_t next = 0;
  for (const Tensor& shard : shards) {
    starts.push_back(next);
    int64_t size = shard.rank() > 0 ? shard.dim(0) : -1;
    if (size < 0) {
      call.Throw(StrCat("embedding_lookup: a part is ", shard.shape(),
                        "; wanted its number of rows known to find ids by "
                        "division"));
    }
    ends.push_back(next += size);
  }
  auto list = [](const Ints& v) {
    return Literal(Array::Vector(std::span<const int64_t>(v)));
  };
  // An id beyond the last row belongs to the last part, which refuses it.
  ends.pop_back();
  Tensor part = call("SearchSorted", {list(ends), ids}, {{"right", true}});
  return {part, call("Sub", {ids, call("Gather", {list(starts), part})})};
}

}  // namespace

Tensor embedding_lookup(const std::vector<Tensor>& shards, const Operand& ids,
                        ShardStrategy strategy, Where where) {
  Caller call{where};
  if (shards.empty()) call.Throw("embedding_lookup: no table");
  if (shards.size() == 1) return RowsOf(call, shards[0], ids);
  Tensor flat =
      call("Cast", {call("Reshape", {ids, {-1}})}, {{"dtype", DType::kI64}});
  Places places = PlacesOf(call, shards, flat, strategy);
  auto num = static_cast<int64_t>(shards.size());
  Tensor numbers = call("Range", {0, call("Size", {flat}), 1});
  auto rows =
      call.all("DynamicPartition", {places.row, places.part}, {{"num", num}});
  auto order =
      call.all("DynamicPartition", {numbers, places.part}, {{"num", num}});
  std::vector<Operand> stitched;
  stitched.push_back(call("Concat", {order.begin(), order.end()}));
  for (size_t i = 0; i < shards.size(); ++i) {
    stitched.push_back(RowsOf(call, shards[i], rows[i]));
  }
  Tensor found = call("DynamicStitch", std::move(stitched));
  return call("Reshape", {found, call("Concat", {call("Shape", {ids}),
                                                 RowSizes(call, shards[0])})});
}

Tensor embedding_lookup(const Tensor& table, const Operand& ids, Where where) {
  return embedding_lookup(std::vector<Tensor>{table}, ids, ShardStrategy::kMod,
                          where);
}

Tensor sampled_softmax_loss(const std::vector<Tensor>& weights,
                            const Tensor& biases, const Tensor& labels,
                            const Tensor& inputs, int64_t num_sampled,
                            int64_t num_classes,
                            const SampledSoftmaxOptions& options, Where where) {
  Caller call{where};
  std::vector<Tensor> drawn = call.all("LogUniformSample", {labels},
                                       {{"num_sampled", num_sampled},
                                        {"range_max", num_classes},
                                        {"unique", options.unique},
                                        {"seed", options.seed}});
  DType dtype = inputs.dtype();
  auto log_of = [&](const Tensor& expected) {
    return call("Log", {call("Cast", {expected}, {{"dtype", dtype}})});
  };
  auto rows = [&](const Tensor& ids) {
    return embedding_lookup(weights, ids, options.strategy, where);
  };
  Tensor of_label = call("Sum", {inputs * rows(labels)}, {{"axes", Ints{-1}}}) +
                    call("Gather", {biases, labels}) - log_of(drawn[1]);
  Tensor others =
      call("MatMul", {inputs, rows(drawn[0])}, {{"transpose_b", true}}) +
      call("Gather", {biases, drawn[0]}) - log_of(drawn[2]);
  auto column = [&](const Tensor& x) {
    return call("ExpandDims", {x}, {{"axis", 1}});
  };
  if (options.remove_accidental_hits) {
    Tensor wide = call("Cast", {labels}, {{"dtype", DType::kI64}});
    Tensor hit = call("Equal", {column(wide), drawn[0]});
    // Far below any logit, and finite in every type.
    others = call("Select", {hit, -6e4, others});
  }
  Tensor logits = call("Concat", {column(of_label), others}, {{"axis", 1}});
  Tensor largest =
      call("StopGradient",
           {call("Max", {logits}, {{"axes", Ints{-1}}, {"keep_dims", true}})});
  Tensor sum =
      call("Sum", {call("Exp", {logits - largest})}, {{"axes", Ints{-1}}});
  return call("Log", {sum}) + call("Squeeze", {largest}, {{"axes", Ints{1}}}) -
         of_label;
}

}  // namespace sluice
