#include "sluice/passes/simplify_arithmetic.h"

#include <algorithm>

#include "sluice/base/small_vector.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/op/simplify_context.h"
#include "sluice/passes/raw_region.h"

namespace sluice {

namespace {

// The change that a rule requests for the node.
struct Change {
  Value forward;   // set: users read this instead
  std::string op;  // else: the node becomes this
  std::vector<Value> inputs{};
  Attrs attrs{};
};

// The view of a graph node for rules.
class NodeContext final : public SimplifyContext {
 public:
  NodeContext(const Node& node, Change* change)
      : SimplifyContext(node.op(), node.attrs(), node.num_inputs()),
        node_(node),
        change_(change) {}

  DType out_dtype() const override { return node_.output_type(0).dtype; }
  const PartialShape& out_shape() const override {
    return node_.output_type(0).shape;
  }
  bool has_device() const override { return !node_.device().empty(); }

 private:
  const Value& At(int id) const {
    return id < num_inputs() ? node_.input(id)
                             : more_[static_cast<size_t>(id - num_inputs())];
  }
  DType TypeOf(int id) const override { return At(id).dtype(); }
  const PartialShape& ShapeOf(int id) const override { return At(id).shape(); }
  const Array* ConstantOf(int id) const override {
    return ConstantValue(At(id));
  }
  const OpRecord& MakerOf(int id) const override { return At(id).node->op(); }
  const Attrs& MakerAttrsOf(int id) const override {
    return At(id).node->attrs();
  }
  int InputOf(int id, int i) override {
    more_.push_back(At(id).node->input(i));
    return num_inputs() + static_cast<int>(more_.size()) - 1;
  }
  void SayValue(int id) override { *change_ = {At(id), "", {}, {}}; }
  void SayCall(std::string_view op, std::span<const int> inputs,
               const Attrs& attrs) override {
    *change_ = {{}, std::string(op), {}, attrs};
    for (int id : inputs) change_->inputs.push_back(At(id));
  }

  const Node& node_;
  Change* change_;
  SmallVector<Value, 2> more_;  // inputs of inputs
};

class Simplifier {
 public:
  explicit Simplifier(Graph& graph) : graph_(graph), edit_(graph) {}

  bool Run() {
    Visit(graph_.root());
    return edit_.Commit();
  }

 private:
  void Visit(Region& region) {
    for (Node* node : region.nodes()) {
      edit_.Update(*node);
      // One change may make another possible: Reshape of Reshape, then to the
      // same shape. Each rule moves towards fewer or cheaper ops.
      for (int i = 0; i < 4 && !edit_.erased(*node) && ApplyOne(*node); ++i) {
      }
      for (const auto& inner : node->regions()) Visit(*inner);
    }
  }

  bool ApplyOne(Node& node) {
    for (const Simplification& rule : node.op().simplifications) {
      Change change;
      NodeContext context(node, &change);
      if (rule.apply(context) &&
          (KeepsDeath(node, change) || !raw_.Holds(node.region())) &&
          Apply(node, change)) {
        return true;
      }
    }
    return false;
  }

  // Among primitives a value may be dead, or belong to one iteration, and so
  // may values computed from it: only constants, which belong to all frames,
  // may be dropped.
  static bool KeepsDeath(const Node& node, const Change& change) {
    bool reads_some = false;
    for (const Value& v : node.inputs()) {
      bool free = ConstantValue(v) && v.node->controls().empty();
      bool kept = v == change.forward ||
                  std::find(change.inputs.begin(), change.inputs.end(), v) !=
                      change.inputs.end();
      if (!free && !kept) return false;
      reads_some = reads_some || !free;
    }
    return reads_some;
  }

  bool Apply(Node& node, const Change& change) {
    if (!change.forward) {
      // It would no longer wait for its removed inputs.
      return !BatchEdit::HasControlUser(node) &&
             edit_.Rewrite(node, change.op, change.inputs, change.attrs).ok();
    }
    // Users would not wait for the nodes that this node waits for.
    if (edit_.is_target(node) || !node.controls().empty() ||
        change.forward.dtype() != node.output_type(0).dtype) {
      return false;
    }
    std::vector<Node*> producers;
    for (const Value& v : node.inputs()) producers.push_back(v.node);
    edit_.Replace(node.output(), change.forward);
    edit_.ReplaceControl(node, std::move(producers));
    edit_.Erase(node);
    return true;
  }

  Graph& graph_;
  BatchEdit edit_;
  RawRegions raw_;
};

}  // namespace

Result<bool> SimplifyArithmetic(Graph& graph) {
  return Simplifier(graph).Run();
}

}  // namespace sluice
