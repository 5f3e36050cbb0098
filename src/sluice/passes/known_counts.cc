#include "sluice/passes/known_counts.h"

#include "sluice/base/strings.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/passes/constant_before.h"
#include "sluice/passes/counted_loop.h"
#include "sluice/passes/raw_region.h"

namespace sluice {

namespace {

class Counts {
 public:
  Counts(Graph& graph, std::vector<std::string>* notes)
      : graph_(graph), notes_(notes), edit_(graph) {}

  Result<bool> Run() {
    SL_RETURN_IF_ERROR(Visit(graph_.root()));
    return edit_.Commit();
  }

 private:
  Status Visit(Region& region) {
    // Among primitives a node that owns regions is dead as a whole.
    if (HasPrimitives(region)) return OkStatus();
    std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
    for (Node* node : nodes) {
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(Visit(*inner));
      }
      // Only nodes with a fixed result type for any number.
      if (node->op().elementwise()) SL_RETURN_IF_ERROR(Read(*node));
    }
    return OkStatus();
  }

  Status Read(Node& node) {
    std::vector<Value> inputs;
    bool known = false;
    for (const Value& v : node.inputs()) {
      SL_ASSIGN_OR_RETURN(Value count, CountOf(v));
      known = known || count;
      inputs.push_back(count ? count : v);
    }
    if (!known) return OkStatus();
    SL_RETURN_IF_ERROR(
        edit_.Rewrite(node, node.op().name, std::move(inputs), node.attrs()));
    if (notes_) {
      notes_->push_back(StrCat("[", node.op().name,
                               "] reads a known number of iterations ",
                               NodeLine(node)));
    }
    return OkStatus();
  }

  // A constant before the loop equal to the final counter v; empty if v is
  // something else or the number is unknown.
  Result<Value> CountOf(const Value& v) {
    if (v.node->op().flow != Flow::kLoop) return Value();
    if (auto it = counts_.find(v); it != counts_.end()) return it->second;
    std::optional<CountedLoop> counted = FindCounter(*v.node);
    bool known = counted && counted->exact && counted->trips >= 0 &&
                 counted->counter == v.index;
    if (!known) return counts_[v] = Value();
    int64_t n = counted->start + counted->trips;
    Array value = v.dtype() == DType::kI32
                      ? Array::Scalar(static_cast<int32_t>(n))
                      : Array::Scalar(n);
    SL_ASSIGN_OR_RETURN(Value constant,
                        ConstantBefore(graph_, edit_, *v.node, value, *v.node));
    return counts_[v] = constant;
  }

  Graph& graph_;
  std::vector<std::string>* notes_;
  BatchEdit edit_;
  Graph::ValueMap counts_;
};

}  // namespace

Result<bool> ReadKnownCounts(Graph& graph, std::vector<std::string>* notes) {
  return Counts(graph, notes).Run();
}

}  // namespace sluice
