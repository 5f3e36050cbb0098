#include "sluice/passes/fold_constants.h"

#include <unordered_map>
#include <unordered_set>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/op/run_op.h"
#include "sluice/op/runs_on.h"
#include "sluice/passes/raw_region.h"

namespace sluice {

namespace {

// For ops that read shapes: Shape and Size are useful as constants, a large
// ZerosLike is better filled in the step.
constexpr int64_t kMaxFromShapes = 1024;

// The limit for all results together, in units of the largest result.
constexpr int64_t kMaxHeld = 16;

class Folder {
 public:
  Folder(Graph& graph, int64_t max_bytes)
      : graph_(graph), edit_(graph), max_bytes_(max_bytes) {}

  Result<bool> Run() {
    FindResults(graph_.root());
    SL_RETURN_IF_ERROR(Visit(graph_.root()));
    return edit_.Commit();
  }

 private:
  void FindResults(const Region& region) {
    for (const Value& v : region.results()) results_.insert(v.node);
    for (const Node* node : region.nodes()) {
      for (const auto& inner : node->regions()) FindResults(*inner);
    }
  }

  Status Visit(Region& region) {
    // A copy: new constants are appended to the region during the loop.
    std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
    for (Node* node : nodes) {
      edit_.Update(*node);
      if (MayFold(*node)) SL_RETURN_IF_ERROR(Fold(*node));
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(Visit(*inner));
      }
    }
    return OkStatus();
  }

  bool MayFold(Node& node) const {
    const OpRecord& op = node.op();
    return op.pure() && HasHostCode(op) && op.regions.empty() &&
           node.num_outputs() > 0 && !ConstantValue(node.output()) &&
           ResultsFit(node, max_bytes_);
  }

  // Checked before anything runs, so that a huge result is never created. Sizes
  // that depend on values are about those of the inputs at most.
  static bool ResultsFit(const Node& node, int64_t max_bytes) {
    for (int i = 0; i < node.num_outputs(); ++i) {
      const ValueType& type = node.output_type(i);
      if (IsReference(type.dtype)) return false;
      if (type.shape.fully_known()) {
        if (!Fits(type, max_bytes)) return false;
      } else if (!node.op().dynamic_output) {
        return false;
      }
    }
    if (!node.op().dynamic_output) return true;
    for (const Value& v : node.inputs()) {
      if (!v.shape().fully_known() || !Fits(v.type(), max_bytes)) return false;
    }
    return true;
  }

  static bool Fits(const ValueType& type, int64_t max_bytes) {
    int64_t bytes = 0;
    return CheckedMul(type.shape.ToShape().num_elements(),
                      DTypeSize(type.dtype), &bytes) &&
           bytes <= max_bytes;
  }

  // False if some input is not sufficiently known.
  bool Inputs(const Node& node, std::vector<Array>* inputs) const {
    for (const Value& v : node.inputs()) {
      const Array* value = ConstantValue(v);
      if (value) {
        inputs->push_back(*value);
      } else if (node.op().shape_only && v.dtype() != DType::kList &&
                 v.shape().fully_known() && ResultsFit(node, kMaxFromShapes) &&
                 !raw_.Holds(node.region())) {
        // Elements are never read, so none are stored. Among primitives a value
        // may be dead, and its shape is dead with it.
        inputs->push_back(
            Array::Borrow(nullptr, v.dtype(), v.shape().ToShape()));
      } else {
        return false;
      }
    }
    return true;
  }

  Status Fold(Node& node) {
    std::vector<Array> inputs;
    if (held_ > kMaxHeld * max_bytes_ || !Inputs(node, &inputs)) {
      return OkStatus();
    }
    Result<std::vector<Array>> results = RunOp(node.op(), node.attrs(), inputs);
    if (!results.ok()) return OkStatus();
    for (Array& result : *results) {
      if (!result || result.bytes() > max_bytes_) return OkStatus();
      // A view of an input would keep all of that input alive.
      if (!result.unique() || !result.contiguous()) {
        Result<Array> copy = result.Clone();
        if (!copy.ok()) return OkStatus();
        result = *copy;
      }
    }
    return node.num_outputs() == 1 ? Become(node, results->front())
                                   : Split(node, *results);
  }

  Status Become(Node& node, const Array& value) {
    std::vector<Value> inputs(node.inputs().begin(), node.inputs().end());
    if (!edit_.Rewrite(node, "Const", {}, {{"value", value}}).ok()) {
      return OkStatus();  // its stated type disagrees; the step will report it
    }
    held_ += value.bytes();
    made_.insert(&node);
    // Users that waited for this node wait for the nodes that its inputs waited
    // for.
    for (const Value& v : inputs) {
      if (v.node->is_args()) continue;
      if (!ConstantValue(v)) {
        if (BatchEdit::HasControlUser(node)) edit_.AddControl(node, *v.node);
        continue;
      }
      for (Node* c : v.node->controls()) edit_.AddControl(node, *c);
      Release(*v.node);
    }
    return OkStatus();
  }

  // Removes one use of a constant. After the last it is erased at once:
  // otherwise a long chain would hold every intermediate value.
  void Release(Node& constant) {
    auto [it, first] = uses_.try_emplace(&constant, 0);
    if (first) it->second = static_cast<int>(constant.users().size());
    if (--it->second != 0 || results_.count(&constant) ||
        edit_.is_target(constant)) {
      return;
    }
    if (made_.count(&constant)) {
      held_ -= constant.attrs().get<Array>("value").bytes();
    }
    graph_.SetAttr(constant, "value", Array::Scalar(false));
    edit_.Erase(constant);
  }

  // One constant per output, in the node's place.
  Status Split(Node& node, const std::vector<Array>& values) {
    if (edit_.is_target(node) || BatchEdit::HasControlUser(node)) {
      return OkStatus();
    }
    NodeOptions options;
    options.device = node.device();
    options.line = node.line();
    options.controls.assign(node.controls().begin(), node.controls().end());
    for (const Value& v : node.inputs()) {
      if (!ConstantValue(v)) continue;
      options.controls.insert(options.controls.end(),
                              v.node->controls().begin(),
                              v.node->controls().end());
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      const Array& value = values[static_cast<size_t>(i)];
      if (!node.output_type(i).shape.Covers(value.shape()) ||
          node.output_type(i).dtype != value.dtype()) {
        return OkStatus();
      }
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      options.name_hint = StrCat(node.name(), ".", i);
      SL_ASSIGN_OR_RETURN(
          Node * constant,
          graph_.Add(*node.region(), "Const", {},
                     {{"value", values[static_cast<size_t>(i)]}}, options));
      held_ += values[static_cast<size_t>(i)].bytes();
      edit_.InsertBefore(*constant, node);
      edit_.Replace(node.output(i), constant->output());
    }
    for (const Value& v : node.inputs()) {
      if (ConstantValue(v)) Release(*v.node);
    }
    edit_.Erase(node);
    return OkStatus();
  }

  Graph& graph_;
  BatchEdit edit_;
  int64_t max_bytes_;
  mutable RawRegions raw_;
  int64_t held_ = 0;  // bytes of constants created here that still exist
  std::unordered_set<const Node*> results_, made_;
  std::unordered_map<const Node*, int> uses_;  // of constants, as they go
};

}  // namespace

Result<bool> FoldConstants(Graph& graph, int64_t max_bytes) {
  return Folder(graph, max_bytes).Run();
}

}  // namespace sluice
