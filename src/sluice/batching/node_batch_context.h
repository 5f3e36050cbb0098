// A batching rule applied to a node: the calls of the rule become nodes in the
// scope's region. Lives on the stack while the node is batched.
#pragma once

#include <vector>

#include "sluice/batching/batch_scope.h"
#include "sluice/op/batch_context.h"

namespace sluice {

class NodeBatchContext final : public BatchContext {
 public:
  NodeBatchContext(BatchScope& scope, const Node& node);

  const Node& node() const { return node_; }
  BatchScope& scope() { return scope_; }
  // The inputs in the scope.
  const Lanes& given(int i) const { return given_[static_cast<size_t>(i)]; }
  Value value(int i) const { return given(i).value; }
  // The output that the rule has set.
  Lanes output(int i) const;

  RuleVar full(int i) override;
  RuleVar together(int i) override;
  const PartialShape& example(int i) const override {
    return node_.input(i).shape();
  }
  const PartialShape& example_out(int i) const override {
    return node_.output_type(i).shape;
  }
  RuleVar lanes() override { return VarOf(scope_.count()); }
  int64_t known_lanes() const override { return scope_.known_count(); }

  using BatchContext::join;
  RuleVar join(std::span<const RuleVar> parts) override;
  RuleVar times(RuleVar a, RuleVar b) override;
  RuleVar sizes(RuleVar x, int from_axis, int count) override;

 protected:
  Status Emit(const OpRecord& op, std::span<const int> inputs,
              const Attrs& attrs, Ids& made) override;
  DType TypeOf(int id) const override;
  PartialShape ShapeOf(int id) const override;

 private:
  int Enter(Value value);
  // Undefined for an empty value, which is the result of an error.
  RuleVar VarOf(Value value);
  Value ValueOf(RuleVar v) const;

  BatchScope& scope_;
  const Node& node_;
  std::vector<Lanes> given_;
  std::vector<Value> table_;
};

}  // namespace sluice
