#include "sluice/trace/function_node.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/rows.h"
#include "sluice/eager/shared_outside.h"
#include "sluice/trace/kept_values.h"

namespace sluice::front_internal {

Status OverTapeNode::Backward(std::span<const EagerRef>, bool,
                              std::span<EagerRef>) {
  return UsedUp(name_);
}

// In imperative code, the values that a rule reads must be unchanged. Here the
// feeds must be unchanged as well, because the rest is recomputed from them.
Status FunctionTapeNode::CheckUnwritten(std::span<const EagerRef> dy,
                                        const TraceGradient& gradient) const {
  for (size_t i = 0; i < overwritten.size(); ++i) {
    if (!dy[i] || overwritten[i]->empty()) continue;
    return FailedPrecondition(*overwritten[i]);
  }
  for (const Kept& k : kept) {
    SharedOutside::NoticeWrites(k.log.get());
    if (!dy[k.output] || k.log->count == k.count) continue;
    std::string type =
        k.what->source < 0
            ? k.what->type
            : arrays_[static_cast<size_t>(k.what->source)].TypeText();
    return FailedPrecondition(
        OverwrittenText(k.what->before, type, *k.log, k.what->after));
  }
  for (const Fed& f : fed) {
    WriteLog* log = f.tensor->log.get();
    SharedOutside::NoticeWrites(log);
    if (log->count == f.count || !gradient.reads[f.feed]) continue;
    bool moved = f.tensor->array.address() != arrays_[f.feed].address();
    if (moved && log->count == f.count + 1) continue;
    return Unimplemented(StrCat(
        "[", name_, "] the gradient computes again from ",
        feeds_[f.feed].ToString(), " (", feeds_[f.feed].type().ToString(),
        "), which was overwritten in place at ", log->last.ToString(),
        " after the call; wanted the gradient before, or the write to a "
        "clone()"));
  }
  return OkStatus();
}

bool FunctionTapeNode::SomeLeft() {
  if (dropped_ || passed_.empty() || !made_apart) return false;
  used_up_.resize(ys_.size());
  bool left = false;
  for (size_t i = 0; i < ys_.size(); ++i) {
    for (size_t k = 0; k < ys_.size(); ++k) {
      if (passed_[k] && (i == k || !(*made_apart)[i][k])) used_up_[i] = true;
    }
    left = left || !used_up_[i];
  }
  return left;
}

void FunctionTapeNode::Spend(const std::vector<bool>& outputs) {
  if (dropped_) return;
  passed_.resize(ys_.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i]) passed_[i] = true;
  }
}

Status FunctionTapeNode::NotePassed(std::span<const EagerRef> dy) {
  passed_.assign(ys_.size(), false);
  for (size_t i = 0; i < ys_.size(); ++i) {
    passed_[i] = static_cast<bool>(dy[i]);
    if (passed_[i] && !used_up_.empty() && used_up_[i]) return UsedUp(name_);
  }
  for (Look& look : through) look.passed = static_cast<bool>(dy[look.output]);
  return OkStatus();
}

Ref<FunctionTapeNode> FunctionTapeNode::NodeOf(const TraceGradient& gradient,
                                               std::span<const EagerRef> dy,
                                               std::vector<Array> arrays) {
  std::vector<Value> feeds = feeds_, made;
  feeds.insert(feeds.end(), gradient.flows.begin(), gradient.flows.end());
  feeds.insert(feeds.end(), gradient.more_args.begin(),
               gradient.more_args.end());
  for (const Value& v : gradient.found) {
    if (v) made.push_back(v);
  }
  auto node = MakeRef<FunctionTapeNode>(
      line(), StrCat("the gradient of ", name_), trace_, std::move(feeds),
      std::move(arrays), std::move(made));
  node->run_options = run_options;
  if (gradient.through_calls) {
    node->calls = Ref<FunctionTapeNode>::Share(this);
    node->of_outputs = passed_;
  }
  node->fed = fed;
  for (const TapeEdge& edge : edges) node->edges.push_back(edge);
  for (const EagerRef& g : dy) {
    if (g) node->edges.push_back(EdgeTo(*g));
  }
  for (const EagerRef& value : gradient.more) {
    node->edges.push_back(EdgeTo(*value));
  }
  node->SetDepth();
  return node;
}

Status FunctionTapeNode::SetGradients(const TraceGradient& gradient,
                                      ArrayList& results,
                                      const Ref<FunctionTapeNode>& node,
                                      std::span<EagerRef> dx) const {
  size_t next = 0, told = results.size() - gradient.told.size();
  size_t next_rows = static_cast<size_t>(std::ranges::count_if(
      gradient.found, [](const Value& v) { return !!v; }));
  for (size_t k = told; k < results.size(); ++k) {
    SL_ASSIGN_OR_RETURN(results[k], OnHost(results[k]));
  }
  auto there = [&](const TraceGradient::There& t) {
    bool any = t.always;
    for (size_t k : t.when) any = any || *results[told + k].data<bool>();
    return any;
  };
  // As in imperative code: a result that depends on nothing that requires
  // gradients does not require any.
  auto flows = [&](size_t i) {
    for (size_t k = 0; k < node->edges.size(); ++k) {
      if (node->edges[k] && there(gradient.from[i][k])) return true;
    }
    return false;
  };
  for (size_t i = 0; i < dx.size(); ++i) {
    if (!gradient.found[i]) continue;
    size_t rows = gradient.rows[i] ? next_rows++ : 0;
    if (!there(gradient.there[i])) {
      // On the path taken, no result depends on it.
      ++next;
      continue;
    }
    dx[i] = MakeRef<EagerValue>(std::move(results[next]));
    dx[i]->line = line();
    if (node && flows(i)) {
      dx[i]->producer = node;
      dx[i]->output = static_cast<int>(next);
    }
    if (gradient.rows[i]) {
      dx[i] = MakeRows(MakeRef<EagerValue>(std::move(results[rows])), dx[i],
                       arrays_[i].dtype(), arrays_[i].shape());
    }
    ++next;
  }
  return OkStatus();
}

Status FunctionTapeNode::Backward(std::span<const EagerRef> dy, bool record,
                                  std::span<EagerRef> dx) {
  if (dropped_) return UsedUp(name_);
  SL_RETURN_IF_ERROR(NotePassed(dy));
  std::vector<bool> wants;
  for (const TapeEdge& edge : edges) wants.push_back(static_cast<bool>(edge));
  // An output without an incoming gradient leads to no gradients, not to zeros.
  std::vector<Value> ys;
  for (size_t i = 0; i < ys_.size(); ++i) {
    if (dy[i]) ys.push_back(ys_[i]);
  }
  SL_ASSIGN_OR_RETURN(TraceGradient gradient,
                      trace_->Gradient(ys, feeds_, wants, record));
  SL_RETURN_IF_ERROR(CheckUnwritten(dy, gradient));
  std::vector<Array> all = arrays_;
  for (const EagerRef& g : dy) {
    if (g) all.push_back(g->array);
  }
  for (const EagerRef& value : gradient.more) all.push_back(value->array);
  // The step may take its feeds: the node keeps a copy of the list.
  std::vector<Array> again;
  if (record) again = all;
  ArrayList results;
  SL_RETURN_IF_ERROR(trace_->RunStep(gradient, all, run_options, &results));
  Ref<FunctionTapeNode> node;
  if (record) node = NodeOf(gradient, dy, std::move(again));
  return SetGradients(gradient, results, node, dx);
}

}  // namespace sluice::front_internal
