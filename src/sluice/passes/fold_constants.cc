#include "sluice/passes/fold_constants.h"

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/op/run_op.h"

namespace sluice {

namespace {

class Folder {
 public:
  Folder(Graph& graph, int64_t max_bytes)
      : graph_(graph), edit_(graph), max_bytes_(max_bytes) {}

  Result<bool> Run() {
    SL_RETURN_IF_ERROR(Visit(graph_.root()));
    return edit_.Commit();
  }

 private:
  Status Visit(Region& region) {
    // A copy: new constants are appended to the region while this goes on.
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
    bool runs = op.block || op.kernel(DeviceKind::kCpu).launch;
    return op.pure() && runs && op.regions.empty() && node.num_outputs() > 0 &&
           !ConstantValue(node.output()) && ResultsFit(node);
  }

  // Before anything is run, so that a huge result is never made. Sizes that
  // depend on the values are at most about those of the inputs.
  bool ResultsFit(const Node& node) const {
    for (int i = 0; i < node.num_outputs(); ++i) {
      const ValueType& type = node.output_type(i);
      if (type.dtype == DType::kResource) return false;
      if (type.shape.fully_known()) {
        if (!Fits(type.shape, type.dtype)) return false;
      } else if (!node.op().dynamic_output) {
        return false;
      }
    }
    if (!node.op().dynamic_output) return true;
    for (const Value& v : node.inputs()) {
      if (!v.shape().fully_known() || !Fits(v.shape(), v.dtype())) return false;
    }
    return true;
  }

  bool Fits(const PartialShape& shape, DType dtype) const {
    int64_t bytes = 0;
    return CheckedMul(shape.ToShape().num_elements(), DTypeSize(dtype), &bytes) &&
           bytes <= max_bytes_;
  }

  // False when some input is not known well enough.
  bool Inputs(const Node& node, std::vector<Array>* inputs) const {
    for (const Value& v : node.inputs()) {
      const Array* value = ConstantValue(v);
      if (value) {
        inputs->push_back(*value);
      } else if (node.op().shape_only && v.shape().fully_known()) {
        // Elements are never read, so there are none.
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
    if (!Inputs(node, &inputs)) return OkStatus();
    Result<std::vector<Array>> results =
        RunOp(node.op(), node.attrs(), inputs);
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
      return OkStatus();  // its stated type disagrees; the step will say so
    }
    // Whoever waits for this node waits for what its inputs waited for.
    for (const Value& v : inputs) {
      if (v.node->is_args()) continue;
      if (!ConstantValue(v)) {
        if (BatchEdit::HasControlUser(node)) edit_.AddControl(node, *v.node);
        continue;
      }
      for (Node* c : v.node->controls()) edit_.AddControl(node, *c);
    }
    return OkStatus();
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
      edit_.InsertBefore(*constant, node);
      edit_.Replace(node.output(i), constant->output());
    }
    edit_.Erase(node);
    return OkStatus();
  }

  Graph& graph_;
  BatchEdit edit_;
  int64_t max_bytes_;
};

}  // namespace

Result<bool> FoldConstants(Graph& graph, int64_t max_bytes) {
  return Folder(graph, max_bytes).Run();
}

}  // namespace sluice
