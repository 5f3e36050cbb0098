// RuleForecast: the result of an op's batching rule for inputs in given forms,
// found by running the rule without emitting nodes. Batching needs it for whole
// loops before their code is built, and for a list op, to choose between its
// two rules. Lives on the stack.
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
  // `form` returns the form of each input; `can`: whether a list that is the
  // same for all lanes can have lanes.
  RuleForecast(const Node& node, const FormOf& form, const CanHave& can);

  // Whether the rule applies, so that lists stay together. Otherwise the op
  // runs lane by lane, or on lists of each lane's own.
  bool serves() const { return serves_; }
  // REQUIRES: serves().
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
  // Whether the rule is run at all.
  bool Askable(const FormOf& form);
  RuleVar Any() { return VarAt(num_inputs()); }

  const Node& node_;
  std::vector<bool> can_have_;
  bool serves_ = false;
};

// Whether the node has lists among its inputs or outputs.
bool TakesOrGivesLists(const Node& node);

}  // namespace sluice
