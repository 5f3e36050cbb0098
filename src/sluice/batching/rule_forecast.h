// RuleForecast: what an op's batching rule would say of inputs in these forms,
// found by asking the rule itself, with nothing emitted. Batching must know it
// of whole loops before their code is written; and a list op of one node, to
// choose between its two rules. Lives on the stack.
#pragma once

#include <functional>
#include <vector>

#include "sluice/batching/batch_scope.h"
#include "sluice/op/batch_context.h"

namespace sluice {

class RuleForecast final : public BatchContext {
 public:
  using FormOf = std::function<LaneForm(const Value&)>;
  using CanHave = std::function<bool(const Value&)>;
  // `form` says it of the node's inputs; `can` of a list that is the same for
  // all lanes, whether it can have lanes.
  RuleForecast(const Node& node, const FormOf& form, const CanHave& can);

  // Whether the rule serves them, so that lists stay together. Else the op runs
  // lane by lane, or on lists of each lane's own.
  bool serves() const { return serves_; }
  // REQUIRES: it serves.
  LaneForm output(int i) const {
    return out_[static_cast<size_t>(i)].batched ? LaneForm::kTogether
                                                : LaneForm::kSingle;
  }

  RuleVar full(int i) override;
  RuleVar together(int i) override;
  const PartialShape& example(int i) const override {
    return node_.input(i).shape();
  }
  const PartialShape& example_out(int i) const override {
    return node_.output_type(i).shape;
  }
  RuleVar lanes() override { return Any(); }
  int64_t known_lanes() const override { return -1; }
  using BatchContext::join;
  RuleVar join(std::span<const RuleVar>) override { return Any(); }
  RuleVar times(RuleVar, RuleVar) override { return Any(); }
  RuleVar sizes(RuleVar, int, int) override { return Any(); }

 protected:
  Status Emit(const OpRecord& op, std::span<const int> inputs,
              const Attrs& attrs, Ids& made) override;
  DType TypeOf(int id) const override;
  PartialShape ShapeOf(int) const override { return {}; }

 private:
  // Whether a rule is asked at all.
  bool Askable(const FormOf& form);
  RuleVar Any() { return VarAt(num_inputs()); }

  const Node& node_;
  std::vector<bool> can_have_;
  bool serves_ = false;
};

// Whether a list is among what the node takes and gives.
bool TakesOrGivesLists(const Node& node);

}  // namespace sluice
