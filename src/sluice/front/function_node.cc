#include "sluice/front/function_node.h"

#include "sluice/base/strings.h"

namespace sluice::front_internal {

namespace {

Status GoneThrough(std::string_view name) {
  return FailedPrecondition(
      StrCat("[", name,
             "] backward went through here before and gave up what it kept; "
             "wanted retain_graph in the first backward"));
}

}  // namespace

Status OverTapeNode::Backward(std::span<const EagerRef>, bool,
                              std::span<EagerRef>) {
  return GoneThrough(name_);
}

Status FunctionTapeNode::Backward(std::span<const EagerRef> dy, bool record,
                                  std::span<EagerRef> dx) {
  if (dropped_) return GoneThrough(name_);
  std::vector<bool> wants;
  for (const TapeEdge& edge : edges) wants.push_back(static_cast<bool>(edge));
  SL_ASSIGN_OR_RETURN(TraceGradient gradient,
                      trace_->Gradient(ys_, feeds_, wants));
  std::vector<Array> all = arrays_, results;
  for (size_t i = 0; i < ys_.size(); ++i) {
    all.push_back(dy[i] ? dy[i]->array
                        : Array::Zeros(ys_[i].dtype(), shapes[i]));
  }
  for (const EagerRef& value : gradient.more) all.push_back(value->array);
  std::vector<Array> again;
  if (record) again = all;
  SL_RETURN_IF_ERROR(trace_->master->RunProgram(
      *gradient.program, all, &results, run_options, nullptr));
  // What was found, made of all that was fed.
  Ref<FunctionTapeNode> node;
  if (record) {
    std::vector<Value> feeds = feeds_, made;
    feeds.insert(feeds.end(), gradient.flows.begin(), gradient.flows.end());
    feeds.insert(feeds.end(), gradient.more_args.begin(),
                 gradient.more_args.end());
    for (const Value& v : gradient.found) {
      if (v) made.push_back(v);
    }
    node = MakeRef<FunctionTapeNode>(line(), StrCat("the gradient of ", name_),
                                     trace_, std::move(feeds), std::move(again),
                                     std::move(made));
    node->run_options = run_options;
    for (const TapeEdge& edge : edges) node->edges.push_back(edge);
    for (const EagerRef& g : dy) {
      node->edges.push_back(g ? EdgeTo(*g) : TapeEdge());
    }
    for (const EagerRef& value : gradient.more) {
      node->edges.push_back(EdgeTo(*value));
    }
    node->SetDepth();
  }
  size_t next = 0;
  for (size_t i = 0; i < dx.size(); ++i) {
    if (!gradient.found[i]) continue;
    dx[i] = MakeRef<EagerValue>(std::move(results[next]));
    dx[i]->line = line();
    if (node) {
      node->shapes.push_back(dx[i]->array.shape());
      dx[i]->producer = node;
      dx[i]->output = static_cast<int>(next);
    }
    ++next;
  }
  return OkStatus();
}

}  // namespace sluice::front_internal
