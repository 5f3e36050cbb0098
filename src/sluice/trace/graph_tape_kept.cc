// The values that gradient rules of recorded calls read, found by dry runs.
#include "sluice/autodiff/graph_grad_context.h"
#include "sluice/base/strings.h"
#include "sluice/graph/node.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/trace/graph_tape.h"
#include "sluice/trace/kept_values.h"

namespace sluice {

namespace {

bool Read(const Value& v, const Node* self) {
  for (const Node* user : v.node->users()) {
    if (user == self || user->op().shape_only) continue;
    for (const Value& in : user->inputs()) {
      if (in == v) return true;
    }
  }
  return false;
}

// By input, then by output: whether the rule of the node's op reads it. Error:
// this cannot be determined.
Result<std::vector<bool>> ReadsOf(const Node& node,
                                  const std::vector<bool>& wants) {
  Graph graph("probe");
  std::vector<Value> args, dy;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Value& in = node.input(i);
    if (!in.node->is_args() && in.node->op().role == Role::kConst) {
      SL_ASSIGN_OR_RETURN(
          Node * same, graph.Add(graph.root(), "Const", {}, in.node->attrs()));
      args.push_back(same->output());
      continue;
    }
    SL_ASSIGN_OR_RETURN(Value arg,
                        graph.AddArg(graph.root(), StrCat("x", i), in.type()));
    args.push_back(arg);
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    const ValueType& type = node.output_type(i);
    dy.emplace_back();
    if (!CarriesGradient(type.dtype)) continue;
    SL_ASSIGN_OR_RETURN(dy.back(),
                        graph.AddArg(graph.root(), StrCat("dy", i), type));
  }
  SL_ASSIGN_OR_RETURN(
      Node * twin, graph.Add(graph.root(), node.op().name, args, node.attrs()));
  GraphGradContext context(graph, *twin, dy, wants);
  node.op().grad(context);
  SL_RETURN_IF_ERROR(context.status());
  std::vector<Value> all = args;
  for (int i = 0; i < node.num_outputs(); ++i) all.push_back(twin->output(i));
  std::vector<bool> reads;
  for (const Value& v : all) {
    bool given = false;
    for (int k = 0; k < node.num_inputs(); ++k) {
      given =
          given || context.gradient(k) == v || context.gradient_rows(k) == v;
    }
    reads.push_back(given || Read(v, twin));
  }
  return reads;
}

}  // namespace

void GraphTapeNode::AddKept(
    const std::function<bool(const WriteLog*)>& wanted,
    std::vector<front_internal::KeptValue>& kept) const {
  for (const Inside& in : inside_) {
    if (in.log->count == in.count && !wanted(in.log.get())) continue;
    kept.push_back({in.log.get(), in.count, in.before, in.type, in.after,
                    /*on_a_way=*/true});
  }
  if (!node_ || node_->op().flow != Flow::kNone || !node_->op().grad) return;
  if (node_->op().role == Role::kCustomGradient) return;  // user code
  bool matters = false;
  for (const Watched& w : watched_) {
    matters = matters || w.log->count != w.count || wanted(w.log.get()) ||
              PerhapsWritten(w);
  }
  if (!matters) return;
  std::vector<bool> wants;
  for (const TapeEdge& edge : edges) wants.push_back(static_cast<bool>(edge));
  Result<std::vector<bool>> reads = ReadsOf(*node_, wants);
  if (!reads.ok()) return;
  for (const Watched& w : watched_) {
    const bool perhaps = w.log->count == w.count && PerhapsWritten(w);
    if (w.log->count == w.count && !wanted(w.log.get()) && !perhaps) continue;
    bool read = false;
    for (size_t i = 0; i < reads->size(); ++i) {
      auto k = static_cast<int>(i);
      int inputs = node_->num_inputs();
      Value own = k < inputs ? node_->input(k) : node_->output(k - inputs);
      read = read || ((*reads)[i] && own == w.value);
    }
    if (!read) continue;
    // A count that differs, if it was written on some path.
    uint32_t count = perhaps ? w.count - 1 : w.count;
    kept.push_back({w.log.get(), count, StrCat("[", name_, "] ", w.what),
                    w.value.type().ToString(),
                    StrCat("; wanted it as it was at ", line().ToString(),
                           ": write out of place, or to a clone()"),
                    /*on_a_way=*/perhaps});
  }
}

void GraphTapeNode::KeptInside(const front_internal::KeptValue& kept,
                               const Ref<WriteLog>& log) {
  inside_.push_back({log, log->count, kept.before, kept.type, kept.after});
}

}  // namespace sluice
