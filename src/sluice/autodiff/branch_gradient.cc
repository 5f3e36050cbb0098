// The gradient of a conditional is a conditional on the same predicate, with
// the gradient of each branch in its branch. The values it reads of a branch
// become results of the forward conditional; branches that do not run return
// placeholders, which are never read.
#include <algorithm>

#include "sluice/autodiff/flow_back.h"
#include "sluice/autodiff/inner_gradient.h"
#include "sluice/autodiff/none_given.h"
#include "sluice/autodiff/rows_lost.h"
#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"

namespace sluice {

namespace {

// A placeholder with a shape that nothing else has: vmap, where lanes take
// different branches, recognizes it by that (batching).
Result<Value> Nothing(Graph& graph, Region& region, const Value& like) {
  if (like.dtype() == DType::kList) return ZerosOf(graph, region, like);
  SL_ASSIGN_OR_RETURN(Shape shape,
                      Shape::Make(std::vector<int64_t>(kMaxRank - 1, 0)));
  SL_ASSIGN_OR_RETURN(
      Node * none, AddBeside(graph, region, *like.node, "Const", {},
                             {{"value", Array::Zeros(like.dtype(), shape)}}));
  return none->output();
}

class Branches {
  using Values = std::vector<Value>;

 public:
  explicit Branches(const RegionGradient& at)
      : at_(at), graph_(at.graph), node_(at.node) {
    for (size_t j = 0; j < at.dy.size(); ++j) {
      if (at.dy[j]) which_.push_back(static_cast<int>(j));
    }
    std::vector<Value> reads = InputsWithCaptures(node_);
    for (size_t i = static_cast<size_t>(node_.num_inputs()); i < reads.size();
         ++i) {
      bool known = std::find(xs_.begin(), xs_.end(), reads[i]) != xs_.end();
      if (!known && at.wanted.count(reads[i])) xs_.push_back(reads[i]);
    }
  }

  Status Run() {
    if (xs_.empty()) return OkStatus();
    std::vector<bool> denied(xs_.size());
    for (const auto& region : node_.regions()) {
      NoneGiven none;
      SL_ASSIGN_OR_RETURN(InnerGradient inner,
                          InnerGradient::Compute(graph_, *region, which_, xs_,
                                                 xs_, at_.flow.hoist(),
                                                 at_.flow.rows_of_branches()));
      for (size_t i = 0; i < xs_.size(); ++i) {
        if (!inner.gradients()[i] && none.To(xs_[i])) denied[i] = true;
      }
      inners_.push_back(std::move(inner));
    }
    std::vector<size_t> flowing = Flowing();
    for (size_t i : flowing) {
      if (!denied[i]) continue;
      for (InnerGradient& inner : inners_) inner.Drop();
      return Unimplemented(StrCat(
          "a backward of the user's gives no gradient that leads to ",
          xs_[i].ToString(), " (", xs_[i].type().ToString(),
          ") in one branch, and another branch has one; wanted zeros, or no "
          "gradient on every way"));
    }
    if (at_.flow.rows_of_branches()) {
      SL_ASSIGN_OR_RETURN(flowing, WithoutRows(flowing));
    }
    NoteLost(flowing);
    for (InnerGradient& inner : inners_) {
      for (size_t i : flowing) {
        if (!inner.gradients()[i]) SL_RETURN_IF_ERROR(inner.UseZeros(i));
      }
      residuals_.push_back(inner.Residuals());
    }
    size_t first_residual = static_cast<size_t>(node_.num_outputs());
    if (flowing.empty() && rows_.empty()) {
      for (InnerGradient& inner : inners_) inner.Drop();
      return OkStatus();
    }
    SL_RETURN_IF_ERROR(KeepResiduals());
    return AddGradient(flowing, first_residual);
  }

 private:
  // The xs for which some branch has a gradient.
  std::vector<size_t> Flowing() const {
    std::vector<size_t> flowing;
    for (size_t i = 0; i < xs_.size(); ++i) {
      for (const InnerGradient& inner : inners_) {
        if (!inner.gradients()[i]) continue;
        flowing.push_back(i);
        break;
      }
    }
    return flowing;
  }

  static bool AreRows(const std::vector<GradPart>& parts) {
    return parts.size() == 1 && parts[0].rows();
  }

  // Reports gradients that are sparse in some branch and dense as a result.
  void NoteLost(const std::vector<size_t>& dense) const {
    for (size_t i : dense) {
      for (const InnerGradient& inner : inners_) {
        if (inner.gradients()[i] && AreRows(inner.parts()[i])) {
          RowsLost::Note(xs_[i]);
        }
      }
    }
  }

  // Removes the xs whose gradients are rows in every branch that has them;
  // these stay sparse, with no rows in branches without a gradient.
  Result<std::vector<size_t>> WithoutRows(const std::vector<size_t>& flowing) {
    std::vector<size_t> dense;
    std::vector<Values> wanted(inners_.size());
    for (size_t i : flowing) {
      bool all = true;
      DType indices = DType::kInvalid;
      for (const InnerGradient& inner : inners_) {
        if (!inner.gradients()[i]) continue;
        const std::vector<GradPart>& parts = inner.parts()[i];
        all =
            all && AreRows(parts) &&
            (indices == DType::kInvalid || indices == parts[0].indices.dtype());
        if (all) indices = parts[0].indices.dtype();
      }
      if (!all) {
        dense.push_back(i);
        continue;
      }
      Rows rows{i, indices, {}};
      for (size_t k = 0; k < inners_.size(); ++k) {
        InnerGradient& inner = inners_[k];
        GradPart part;
        if (inner.gradients()[i]) {
          part = inner.parts()[i][0];
          inner.Forget(i);
        } else {
          SL_ASSIGN_OR_RETURN(part, NoRows(inner, xs_[i], indices));
        }
        wanted[k].push_back(part.indices);
        wanted[k].push_back(part.values);
        rows.parts.push_back(part);
      }
      rows_.push_back(std::move(rows));
    }
    for (size_t k = 0; k < inners_.size(); ++k) inners_[k].Want(wanted[k]);
    return dense;
  }

  static Result<GradPart> NoRows(InnerGradient& inner, const Value& x,
                                 DType dtype) {
    GradPart none;
    SL_ASSIGN_OR_RETURN(Shape empty, Shape::Make(std::vector<int64_t>{0}));
    SL_ASSIGN_OR_RETURN(
        none.indices,
        inner.Call(x, "Const", {}, {{"value", Array::Zeros(dtype, empty)}}));
    Value in[] = {x, none.indices};
    SL_ASSIGN_OR_RETURN(none.values, inner.Call(x, "Gather", in));
    return none;
  }

  // Makes residuals results of the forward node.
  Status KeepResiduals() {
    std::vector<ValueType> types;
    std::vector<DType> dtypes;
    for (int i = 0; i < node_.num_outputs(); ++i) {
      types.push_back(node_.output_type(i));
    }
    for (const auto& list : residuals_) {
      for (const Value& v : list) types.push_back({v.dtype(), PartialShape()});
    }
    for (const ValueType& type : types) dtypes.push_back(type.dtype);
    for (size_t k = 0; k < inners_.size(); ++k) {
      Region& region = *node_.regions()[k];
      std::vector<Value> results(region.results().begin(),
                                 region.results().end());
      for (size_t other = 0; other < residuals_.size(); ++other) {
        for (const Value& v : residuals_[other]) {
          if (other == k) {
            results.push_back(v);
            continue;
          }
          SL_ASSIGN_OR_RETURN(Value none, Nothing(graph_, region, v));
          // It belongs to the branch, not to the gradient appended to it.
          if (region.nodes().front() != none.node) {
            graph_.MoveBefore(*none.node, *region.nodes().front());
          }
          for (const Value& in : none.node->inputs()) {
            graph_.MoveBefore(*in.node, *none.node);
          }
          results.push_back(none);
        }
      }
      graph_.SetResults(region, std::move(results));
    }
    graph_.SetAttr(node_, "dtypes", dtypes);
    graph_.SetOutputs(node_, std::move(types));
    return OkStatus();
  }

  // A value of that shape, for code that never runs.
  Result<Value> Never(Region& region, const Value& v,
                      const PartialShape& shape) {
    std::vector<int64_t> sizes;
    for (int64_t size : shape.dims()) {
      sizes.push_back(std::max<int64_t>(size, 0));
    }
    SL_ASSIGN_OR_RETURN(Shape known, Shape::Make(sizes));
    SL_ASSIGN_OR_RETURN(Node * zeros,
                        AddBeside(graph_, region, node_, "Const", {},
                                  {{"value", Array::Zeros(v.dtype(), known)}}));
    return zeros->output();
  }

  // `v` with the shape it has when this branch runs.
  Result<Value> Ensured(Region& region, Value v, const PartialShape& shape) {
    if (v.dtype() == DType::kList || !shape.rank_known() ||
        v.shape() == shape) {
      return v;
    }
    // The sizes are impossible, so this branch does not run.
    if (!shape.CompatibleWith(v.shape())) return Never(region, v, shape);
    SL_ASSIGN_OR_RETURN(Node * ensured,
                        AddBeside(graph_, region, node_, "EnsureShape", {&v, 1},
                                  {{"shape", shape}}));
    return ensured->output();
  }

  Status AddGradient(const std::vector<size_t>& flowing,
                     size_t first_residual) {
    std::vector<DType> dtypes;
    std::vector<ValueType> types;
    for (size_t i : flowing) {
      dtypes.push_back(xs_[i].dtype());
      types.push_back(xs_[i].type());
    }
    for (const Rows& rows : rows_) {
      PartialShape shape = xs_[rows.x].shape();
      if (shape.rank_known()) shape.set_dim(0, kUnknownDim);
      types.push_back({rows.indices, PartialShape::OfRank(1)});
      types.push_back({xs_[rows.x].dtype(), shape});
      dtypes.push_back(rows.indices);
      dtypes.push_back(xs_[rows.x].dtype());
    }
    Attrs attrs = node_.attrs();
    attrs.set("dtypes", dtypes);
    Value chooser = node_.input(0);
    SL_ASSIGN_OR_RETURN(Node * gradient,
                        AddBeside(graph_, at_.region, node_, node_.op().name,
                                  {&chooser, 1}, attrs));
    auto next = static_cast<int>(first_residual);
    for (size_t k = 0; k < inners_.size(); ++k) {
      SL_ASSIGN_OR_RETURN(
          Region * region,
          graph_.AddRegion(*gradient, node_.regions()[k]->label()));
      Graph::ValueMap map;
      InnerGradient& inner = inners_[k];
      for (size_t j = 0; j < which_.size(); ++j) {
        const Value& dy = at_.dy[static_cast<size_t>(which_[j])];
        SL_ASSIGN_OR_RETURN(map[inner.stand_ins()[j]],
                            Ensured(*region, dy, inner.stand_ins()[j].shape()));
      }
      for (const Value& v : residuals_[k]) {
        SL_ASSIGN_OR_RETURN(map[v],
                            Ensured(*region, node_.output(next++), v.shape()));
      }
      std::vector<Value> found;
      for (size_t i : flowing) found.push_back(inner.gradients()[i]);
      for (const Rows& rows : rows_) {
        found.push_back(rows.parts[k].indices);
        found.push_back(rows.parts[k].values);
      }
      inner.MoveTo(*region, map);
      for (Value& v : found) {
        auto it = map.find(v);
        if (it != map.end()) v = it->second;
      }
      graph_.SetResults(*region, std::move(found));
    }
    graph_.SetOutputs(*gradient, std::move(types));
    for (size_t k = 0; k < flowing.size(); ++k) {
      at_.flow.Add(xs_[flowing[k]], gradient->output(static_cast<int>(k)));
    }
    auto at = static_cast<int>(flowing.size());
    for (const Rows& rows : rows_) {
      at_.flow.AddRows(xs_[rows.x], gradient->output(at),
                       gradient->output(at + 1));
      at += 2;
    }
    return OkStatus();
  }

  const RegionGradient& at_;
  Graph& graph_;
  Node& node_;
  std::vector<int> which_;  // results with incoming gradients
  std::vector<Value> xs_;
  std::vector<InnerGradient> inners_;          // by branch
  std::vector<std::vector<Value>> residuals_;  // by branch
  struct Rows {
    size_t x;
    DType indices;
    std::vector<GradPart> parts;  // by branch
  };
  std::vector<Rows> rows_;  // xs whose gradients stay rows
};

}  // namespace

Status BranchGradient(const RegionGradient& at) { return Branches(at).Run(); }

}  // namespace sluice
