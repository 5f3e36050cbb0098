// Effects of code recorded into regions on values outside them.
#include <algorithm>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/tape.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/graph_tape.h"
#include "sluice/trace/memory_of.h"

namespace sluice {

Capture::Region::Region(Capture* capture)
    : capture_(capture), outer_(capture ? capture->region_ : nullptr) {
  if (!capture_) return;
  capture_->region_ = this;
  first_ = capture_->made_;
}

Capture::Region::~Region() {
  if (!capture_) return;
  capture_->region_ = outer_;
  for (const EagerValue* view : met_) capture_->inside_.erase(view);
  for (size_t i = changes_.size(); i-- > 0;) {
    Change& change = changes_[i];
    EagerValue& value = *change.value;
    value.traced->value = change.before;
    value.traced->history = change.history;
    value.traced->tainted = change.tainted;
    value.traced->seen = change.seen;
    if (value.view_of) value.view_of->seen = ViewOf::kNotKnown;
    value.producer = change.edge.node;
    value.output = change.edge.output;
    // Views that were brought up to date inside are restored outside.
    if (change.written) ++value.writes().count;
  }
  // Values made inside end here: their nodes may be removed.
  for (auto& [value, made_as] : made_) {
    if (value && value->traced->entry >= 0) continue;
    capture_->known_.erase(made_as);
    if (!value) continue;
    capture_->which_.erase(value.get());
    Over(*value);
  }
}

std::vector<EagerRef> Capture::Region::Written() const {
  std::vector<EagerRef> written;
  for (const Change& change : changes_) {
    if (!change.written || change.value->traced->serial > first_) continue;
    if (std::find(written.begin(), written.end(), change.value) ==
        written.end()) {
      written.push_back(change.value);
    }
  }
  return written;
}

std::unordered_set<const WriteLog*> Capture::Region::OwnLogs() const {
  std::unordered_set<const WriteLog*> logs;
  for (const auto& [value, made_as] : made_) {
    if (!value || !value->log || value->traced->entry >= 0) continue;
    if (!IsOutside(MemoryOf(*value))) logs.insert(value->log.get());
  }
  return logs;
}

void Capture::Region::CheckHooks(const EagerValue& value,
                                 std::string_view what) const {
  if (!value.producer) return;
  std::vector<const TapeNode*> open{value.producer.get()};
  std::unordered_set<const TapeNode*> seen(open.begin(), open.end());
  while (!open.empty()) {
    auto* call = dynamic_cast<const GraphTapeNode*>(open.back());
    open.pop_back();
    if (!call || call->made_at() < first_ || call->dropped()) continue;
    for (const TapeNode::Hook& hook : call->hooks) {
      // Nobody sees the gradient that retain_grad() keeps of a value that ends
      // with the region.
      bool leaves = call == value.producer.get() && hook.output == value.output;
      if (hook.place && !leaves) continue;
      throw Error(Unimplemented(StrCat(
          hook.place ? "retain_grad" : "register_hook",
          ": of what was made at ", call->line().ToString(), ", in ", what,
          " (a branch, a loop or lanes), whose results are made from "
          "it: gradients from outside go through that as a whole and do "
          "not meet the hook; wanted it outside of that, or the "
          "gradient inside")));
    }
    for (const TapeEdge& edge : call->edges) {
      if (edge.node && seen.insert(edge.node.get()).second) {
        open.push_back(edge.node.get());
      }
    }
  }
}

EagerRef Capture::Region::GradChanged() const {
  for (const auto& [value, before] : grads_) {
    if (value->traced->serial > first_) continue;
    // The first change has the value from when the region began.
    EagerRef first = before;
    for (const auto& [other, then] : grads_) {
      if (other != value) continue;
      first = then;
      break;
    }
    if (value->grad != first) return value;
  }
  return {};
}

void Capture::CheckHook(const EagerValue& value) const {
  if (!region_) return;
  auto* call = dynamic_cast<const GraphTapeNode*>(value.producer.get());
  bool inside = value.producer ? call && call->made_at() >= region_->first_
                               : value.traced->serial > region_->first_;
  if (inside) return;
  throw Error(Unimplemented(
      StrCat("register_hook, remove or retain_grad: of ", value.Describe(),
             ", in a branch or loop of a graph that it was made outside of, or "
             "is given; wanted it registered outside of that, or with a value "
             "made inside")));
}

void Capture::Replace(EagerValue& value, Value now, TapeEdge edge) {
  NoteChange(value, /*written=*/true);
  ++value.writes().count;
  ++value.writes().histories;
  value.traced->value = now;
  value.traced->history = {};
  if (value.requires_grad && !value.producer) {
    edge = EdgeTo(value);  // it remains a leaf
  } else {
    value.producer = edge.node;
    value.output = edge.output;
  }
  known_[now] = {edge, value.traced->tainted || edge, EagerRef::Share(&value)};
  region_->made_.emplace_back(EagerRef(), now);
}

}  // namespace sluice
