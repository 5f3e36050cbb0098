#include "sluice/placement/host_scalars.h"

#include <algorithm>

#include "sluice/graph/role_of.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/host_inputs.h"

namespace sluice {

namespace {

// Scalars, and vectors as long as a shape; also what may be one.
bool IsSmallCount(const ValueType& type) {
  if (!IsInteger(type.dtype) && type.dtype != DType::kBool) return false;
  if (type.shape.rank() <= 0) return true;
  return type.shape.rank() == 1 && type.shape.fully_known() &&
         type.shape.dim(0) <= kMaxRank;
}

// What is of no known size is as small as what it is made of.
bool AllRanksKnown(const Node& node) {
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!node.output_type(i).shape.rank_known()) return false;
  }
  return true;
}

class Finder {
 public:
  explicit Finder(const ValueFlow& flow)
      : flow_(flow),
        can_(static_cast<size_t>(flow.num_values())),
        wanted_(can_.size()),
        into_(can_.size()),
        from_(can_.size()) {}

  std::vector<char> Run() {
    for (const ValueFlow::Edge& edge : flow_.edges()) {
      into_[Id(edge.to)].push_back(edge.from);
      from_[Id(edge.from)].push_back(edge.to);
    }
    FindPossible();
    FindWanted();
    for (size_t i = 0; i < can_.size(); ++i) can_[i] &= wanted_[i];
    return std::move(can_);
  }

 private:
  size_t Id(const Value& v) const { return static_cast<size_t>(flow_.IdOf(v)); }

  static bool Computes(const Node& node) {
    if (!node.regions().empty() || node.num_outputs() == 0) return false;
    if (!AllRanksKnown(node)) return node.op().block || IsPrimitive(node);
    return node.op().pure() || IsPrimitive(node);
  }

  // On the host whatever becomes of it: fed, or there before the step.
  static bool OnHost(const Value& v) {
    return (v.node->is_args() && !v.node->region()->owner()) ||
           RoleOf(v) == Role::kConst;
  }
  bool Possible(const Value& v) const { return OnHost(v) || can_[Id(v)]; }

  bool InputsPossible(const Node& node) const {
    if (node.op().shape_only) return true;
    bool small = AllRanksKnown(node);
    return std::all_of(
        node.inputs().begin(), node.inputs().end(),
        [&](const Value& v) { return small ? Possible(v) : can_[Id(v)] != 0; });
  }

  // All that could be, less what reads something that is not, until nothing
  // changes: what goes round a loop holds itself up.
  void FindPossible() {
    auto start = [&](const Value& v) {
      bool fed = v.node->is_args() && !v.node->region()->owner();
      can_[Id(v)] = IsSmallCount(v.type()) && (!fed || v.shape().rank_known());
    };
    for (const Node* args : flow_.args_nodes()) {
      for (int i = 0; i < args->num_outputs(); ++i) {
        start(args->region()->arg(i));
      }
    }
    for (Node* node : flow_.nodes()) {
      bool all = true;
      for (int i = 0; i < node->num_outputs(); ++i) {
        start(node->output(i));
        all = all && can_[Id(node->output(i))];
      }
      bool through = !node->regions().empty() || ValueFlow::FunctionOf(*node);
      if (through || (all && Computes(*node))) continue;
      for (int i = 0; i < node->num_outputs(); ++i) {
        can_[Id(node->output(i))] = false;
      }
    }
    std::vector<Value> lost;
    auto lose = [&](const Value& v) {
      if (!can_[Id(v)]) return;
      can_[Id(v)] = false;
      lost.push_back(v);
    };
    auto check = [&](Node* node) {
      if (!Computes(*node) || InputsPossible(*node)) return;
      for (int i = 0; i < node->num_outputs(); ++i) lose(node->output(i));
    };
    for (const ValueFlow::Edge& edge : flow_.edges()) {
      if (!can_[Id(edge.from)]) lose(edge.to);
    }
    for (Node* node : flow_.nodes()) check(node);
    while (!lost.empty()) {
      Value v = lost.back();
      lost.pop_back();
      for (Node* user : v.node->users()) check(user);
      for (const Value& to : from_[Id(v)]) lose(to);
    }
  }

  // From what the host reads to what that is computed from.
  void FindWanted() {
    std::vector<Value> open;
    auto want = [&](const Value& v) {
      if (!can_[Id(v)] || wanted_[Id(v)]) return;
      wanted_[Id(v)] = true;
      open.push_back(v);
    };
    for (Node* node : flow_.nodes()) {
      if (node->op().flow == Flow::kLoop && !node->regions().empty()) {
        for (const Value& v : node->regions()[0]->results()) want(v);
      }
      WantInputs(*node, want);
    }
    while (!open.empty()) {
      Value v = open.back();
      open.pop_back();
      for (const Value& from : into_[Id(v)]) want(from);
      if (v.node->is_args() || !Computes(*v.node)) continue;
      for (int i = 0; i < v.node->num_outputs(); ++i) want(v.node->output(i));
      if (v.node->op().shape_only) continue;
      for (const Value& in : v.node->inputs()) want(in);
    }
  }

  template <class Want>
  void WantInputs(const Node& node, const Want& want) {
    const OpRecord& op = node.op();
    bool candidates = false;
    for (const Value& v : node.inputs()) candidates |= can_[Id(v)] != 0;
    if (!candidates) return;
    if (op.flow == Flow::kBranch || op.flow == Flow::kLoopCond) {
      want(node.input(0));
    }
    if (op.flow == Flow::kSwitch) want(node.input(1));
    if (op.structural) return;
    auto count = static_cast<size_t>(node.num_inputs());
    for (size_t i = 0; i < count; ++i) {
      for (int k = 0; k < kNumDeviceKinds; ++k) {
        if (HostReads(op, static_cast<DeviceKind>(k), i, count)) {
          want(node.inputs()[i]);
        }
      }
    }
  }

  const ValueFlow& flow_;
  std::vector<char> can_, wanted_;
  std::vector<std::vector<Value>> into_, from_;  // along edges of the flow
};

}  // namespace

std::vector<char> FindHostScalars(const ValueFlow& flow) {
  return Finder(flow).Run();
}

}  // namespace sluice
