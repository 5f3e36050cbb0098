// Traced values of a function being recorded, and their tape.
#include <algorithm>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/view_write.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/custom_rule.h"
#include "sluice/trace/graph_tape.h"
#include "sluice/trace/memory_of.h"
#include "sluice/trace/trace_call.h"

namespace sluice {

using front_internal::EagerMode;

EagerRef Capture::Make(Value value, const SourceLine& line, TapeEdge edge,
                       bool tainted) {
  EagerRef made = MakeRef<EagerValue>(Array());
  made->traced = std::make_unique<TraceState>();
  made->traced->recording = this;
  made->traced->value = value;
  made->traced->serial = ++made_;
  made->line = line;
  (region_ ? region_->made_ : values_).emplace_back(made, value);
  made->producer = edge.node;
  made->output = edge.output;
  auto [known, fresh] = known_.try_emplace(value);
  made->traced->tainted = tainted || known->second.tainted || edge;
  if (fresh) {
    known->second = {std::move(edge), made->traced->tainted, made};
  }
  return made;
}

EagerRef Capture::Frozen(Value value) { return Make(value, {}, {}, false); }

EagerRef Capture::Adopt(Value value) {
  if (auto it = known_.find(value); it != known_.end()) {
    const EagerRef& owner = it->second.owner;
    if (owner && owner->traced->value == value) return owner;
    EagerRef made =
        Make(value, owner ? owner->line : SourceLine(), it->second.edge, false);
    made->requires_grad = static_cast<bool>(it->second.edge.leaf);
    return made;
  }
  // All inputs of the value that are known.
  std::vector<Value> xs;
  std::vector<TapeEdge> edges;
  bool tainted = false;
  std::unordered_set<const Node*> seen{value.node};
  std::vector<Node*> open{value.node};
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    if (node->is_args()) continue;
    std::vector<Value> reads;
    if (node->regions().empty() && node->op().flow != Flow::kCall) {
      reads.assign(node->inputs().begin(), node->inputs().end());
    } else {
      reads = InputsWithCaptures(*node);
    }
    for (const Value& v : reads) {
      auto it = known_.find(v);
      if (it == known_.end()) {
        if (seen.insert(v.node).second) open.push_back(v.node);
        continue;
      }
      tainted = tainted || it->second.tainted;
      TapeEdge its = CarriesGradient(v.dtype()) ? it->second.edge : TapeEdge();
      if (!its || std::find(xs.begin(), xs.end(), v) != xs.end()) continue;
      xs.push_back(v);
      edges.push_back(std::move(its));
    }
  }
  TapeEdge edge;
  if (EagerMode::Current().grad && !xs.empty() &&
      CarriesGradient(value.dtype())) {
    auto way =
        MakeRef<GraphTapeNode>(graph_, std::move(xs), std::vector<Value>{value},
                               value.node->op().name, value.node->line());
    for (TapeEdge& e : edges) way->edges.push_back(std::move(e));
    way->SetDepth();
    edge = {std::move(way), 0, {}};
  }
  SourceLine line = value.node->is_args() ? SourceLine() : value.node->line();
  return Make(value, line, std::move(edge), tainted);
}

void Capture::NoteChange(EagerValue& value, bool written) {
  if (!region_) return;
  const TraceState& now = *value.traced;
  region_->changes_.push_back({EagerRef::Share(&value), now.value, now.history,
                               EdgeTo(value), now.tainted, now.seen, written});
}

void Capture::CheckUnmoved(const EagerValue& view) const {
  const EagerValue& base = *view.view_of->base;
  if (base.moved == view.view_of->moved) return;
  throw Error(Unimplemented(
      StrCat(view.Describe(), ", looks into what ", base.Describe(),
             ", was before it was given other memory by `data`; wanted "
             "copy_() under no_grad, or a clone() before")));
}

void Capture::Refresh(EagerValue& view) {
  CheckUnmoved(view);
  NoteChange(view, /*written=*/false);
  ViewOf& how = *view.view_of;
  EagerRef made = how.base;
  uint32_t count = view.log->count;
  // Written only while calls were not recorded: the elements are new, but
  // gradients flow as before, whatever flag the base has been given since. The
  // same holds for a value with a history of its own.
  bool stays =
      how.seen == view.log->histories || (StandsAlone(view) && view.tracked());
  {
    GradModeScope mode(how.records && !stays);
    for (const ViewStep& step : how.steps) {
      std::vector<EagerRef> inputs{made};
      inputs.insert(inputs.end(), step.others.begin(), step.others.end());
      EagerResults results;
      ThrowIfError(Call(*step.op, inputs, step.attrs, view.line, results));
      made = results[0];
    }
  }
  view.traced->seen = count;
  if (stays) {
    if (view.tracked() && !view.traced->history) {
      view.traced->history = view.traced->value;
    }
    view.traced->value = made->traced->value;
    return;
  }
  how.seen = view.log->histories;
  view.traced->value = made->traced->value;
  view.traced->history = {};
  view.traced->tainted = made->traced->tainted;
  view.producer = made->producer;
  view.output = made->output;
}

Value Capture::Now(EagerValue& value) {
  TraceState* traced = value.traced.get();
  if (traced && !traced->recording && Mine(value)) return traced->value;
  if (!traced || traced->recording != this) {
    throw Error(FailedPrecondition(
        StrCat(value.Describe(),
               " belongs to a captured function whose recording is over; "
               "wanted it among the function's results")));
  }
  CheckKnown(value);
  if (value.view_of && value.log->count != traced->seen) Refresh(value);
  return traced->value;
}

void Capture::MayBe(EagerValue& value, const EagerRef& other,
                    TraceState::Perhaps::How how) {
  using Perhaps = TraceState::Perhaps;
  const EagerRef& base = MemoryOf(other);
  if (base.get() == &value) return;
  may_be_since_[&value] = flag_number_;
  bool look = how == Perhaps::How::kWhole && other->view_of;
  if (look) how = Perhaps::How::kLook;
  std::vector<Perhaps>& all = value.traced->perhaps;
  // Without duplicates: results of nested branches may be one tensor on many
  // paths.
  auto add = [&](Perhaps one) {
    for (const Perhaps& known : all) {
      if (known.other == one.other && known.seen == one.seen &&
          known.how == one.how) {
        return;
      }
    }
    all.push_back(std::move(one));
  };
  add({base, base->writes().count, how});
  for (Perhaps further : base->traced->perhaps) {
    if (further.other.get() == &value) continue;
    further.how = std::min(further.how, how);
    add(std::move(further));
  }
}

// Results of one branch or loop that may alias each other are noted as such. A
// third tensor that each of them may be proves nothing, as after a, b = b, a.
bool Capture::MayShare(const EagerValue& a, const EagerValue& b) {
  const EagerValue &x = MemoryOf(a), &y = MemoryOf(b);
  if (&x == &y) return true;
  using Perhaps = TraceState::Perhaps;
  auto any = [](const EagerValue& from, const EagerValue& memory, auto holds) {
    auto in = [&](const std::vector<Perhaps>& all) {
      return std::any_of(all.begin(), all.end(), holds);
    };
    return in(from.traced->perhaps) ||
           (&from != &memory && in(memory.traced->perhaps));
  };
  auto is = [](const EagerValue& other) {
    return [&other](const Perhaps& p) { return p.other.get() == &other; };
  };
  if (any(a, x, is(y)) || any(b, y, is(x))) return true;
  if (x.traced->value.node == y.traced->value.node) return false;
  return any(a, x, [&](const Perhaps& p) { return any(b, y, is(*p.other)); });
}

void Capture::CheckKnown(const EagerValue& value) const {
  auto refuse = [&](const SourceLine& by) {
    throw Error(Unimplemented(
        StrCat(value.Describe(),
               ", may or may not share memory with what was written at ",
               by.ToString(),
               ": that depends on strides, or on the branch taken, which a "
               "captured function does not know; wanted a clone() to write "
               "to")));
  };
  // A possible alias of an unknown tensor is unknown too, unless all the nodes
  // that made the tensor unknown are the ones that returned this value
  // (MayShare).
  auto other_way = [&](const TraceState& traced, const EagerValue& other) {
    auto via = unknown_via_.find(&other);
    return via == unknown_via_.end() ||
           std::any_of(via->second.begin(), via->second.end(),
                       [&](const Node* n) { return n != traced.value.node; });
  };
  // requires_grad_() was called on an alias since.
  auto flagged = [&](const EagerValue& at, const EagerValue& other) {
    auto since = may_be_since_.find(&at);
    auto set = flag_set_.find(&other);
    return since != may_be_since_.end() && set != flag_set_.end() &&
           set->second > since->second;
  };
  auto check = [&](const EagerValue& at) {
    const TraceState& traced = *at.traced;
    if (traced.unknown) refuse(traced.unknown_by);
    for (const TraceState::Perhaps& p : traced.perhaps) {
      if (flagged(at, *p.other)) {
        throw Error(Unimplemented(
            StrCat(at.Describe(), ", may or may not be ", p.other->Describe(),
                   ", of which requires_grad_() was said since: that depends "
                   "on the branch taken, which a captured function does not "
                   "know; wanted requires_grad_() before")));
      }
      if (p.other->writes().count != p.seen) refuse(p.other->log->last);
      const TraceState& other = *p.other->traced;
      if (other.unknown && other_way(traced, *p.other)) {
        refuse(other.unknown_by);
      }
    }
  };
  check(value);
  // A possible alias of another tensor's memory is also one for views of it.
  for (const EagerValue* at = &value; at->view_of;) {
    at = at->view_of->base.get();
    check(*at);
  }
}

Value Capture::NowAsOperand(EagerValue& value) {
  Value now = Now(value);
  TraceState& traced = *value.traced;
  if (!CarriesGradient(now.dtype())) return now;
  if (!value.tracked()) {
    return traced.tainted ? TraceStopped(*this, now) : now;
  }
  if (!traced.history) return now;
  // The elements are new, the history is unchanged.
  NoteChange(value, /*written=*/false);
  traced.value = TraceNode(*this, "WithHistory", {now, traced.history}, {});
  traced.history = {};
  known_[traced.value] = {EdgeTo(value), true, EagerRef::Share(&value)};
  if (region_) region_->made_.emplace_back(EagerRef(), traced.value);
  return traced.value;
}

void Capture::Record(Node& node, std::span<const EagerRef> inputs,
                     const SourceLine& line, bool records) {
  const OpRecord& op = node.op();
  bool tainted = false, flows = false;
  for (const EagerRef& in : inputs) {
    if (!in || !CarriesGradient(in->dtype())) continue;
    tainted = tainted || in->tracked() || in->traced->tainted;
    flows = flows || in->tracked();
  }
  Ref<GraphTapeNode> way;
  bool carries = false;
  for (int i = 0; i < node.num_outputs(); ++i) {
    carries = carries || CarriesGradient(node.output(i).dtype());
  }
  if (records && flows && carries) {
    std::vector<Value> xs(node.inputs().begin(), node.inputs().end());
    way = MakeRef<GraphTapeNode>(graph_, node, std::move(xs), line);
    way->edges.resize(static_cast<size_t>(node.num_inputs()));
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i]) continue;
      way->Watch(node.input(static_cast<int>(i)),
                 op.InputName(static_cast<int>(i)), inputs[i]->writes());
      if (CarriesGradient(inputs[i]->dtype())) {
        way->edges[i] = EdgeTo(*inputs[i]);
      }
    }
    way->SetDepth();
    front_internal::SayThroughInputs(*way, node);
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    Value out = node.output(i);
    TapeEdge edge;
    if (way && CarriesGradient(out.dtype())) edge = {way, i, {}};
    EagerRef made = Make(out, line, std::move(edge), tainted);
    if (i == 0 && op.view && !inputs.empty() && inputs[0]) {
      Share(made, inputs[0], node);
    }
    if (way) way->Watch(out, "the result of the call", made->writes());
  }
}

namespace {

// The destinations of a result's gradient, by the values that the node reads.
// If anything else is also reached, all of them keep the default: reached.
void SetThrough(GraphTapeNode& way, size_t output, const ReachesTold& reach,
                Node& node) {
  if (reach.empty()) return;
  std::vector<GraphTapeNode::Through> by_x(way.edges.size(), {.never = true});
  size_t met = 0;
  for (const ReachTold& to : reach) {
    bool known = false;
    for (size_t i = 0; i < way.edges.size(); ++i) {
      const TapeEdge& edge = way.edges[i];
      TapeKey key{edge.node.get(), edge.output, edge.leaf.get()};
      if (!(key == to.key)) continue;
      known = true;
      by_x[i] = {.never = false,
                 .when = to.told < 0 ? Value() : node.output(to.told)};
    }
    met += known ? 1 : 0;
  }
  if (met == reach.size()) way.SetThrough(output, std::move(by_x));
}

}  // namespace

void Capture::RecordRegions(Node& node, const std::vector<bool>& flows,
                            const std::vector<int>& when,
                            const std::vector<ReachesTold>& reach,
                            const SourceLine& line) {
  std::vector<Value> xs;
  std::vector<TapeEdge> edges;
  bool tainted = false;
  for (const Value& v : InputsWithCaptures(node)) {
    auto it = known_.find(v);
    if (it == known_.end()) continue;
    tainted = tainted || it->second.tainted;
    TapeEdge its = CarriesGradient(v.dtype()) ? it->second.edge : TapeEdge();
    if (!its || std::find(xs.begin(), xs.end(), v) != xs.end()) continue;
    xs.push_back(v);
    edges.push_back(std::move(its));
  }
  // Where nothing is recorded, a tensor that is returned unchanged keeps its
  // history; `flows` covers those.
  const bool grad = EagerMode::Current().grad;
  bool some = grad && !xs.empty();
  // Gradients flow at least to leaves that code inside has made.
  for (bool f : flows) some = some || f;
  Ref<GraphTapeNode> way;
  if (some) {
    way = MakeRef<GraphTapeNode>(graph_, node, std::move(xs), line);
    for (TapeEdge& e : edges) way->edges.push_back(std::move(e));
    way->SetDepth();
    for (size_t i = 0; i < when.size(); ++i) {
      if (when[i] < 0) continue;
      way->SetWhen(i, node.output(when[i]));
      merged_ = true;
    }
    for (size_t i = 0; i < reach.size(); ++i) {
      SetThrough(*way, i, reach[i], node);
    }
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    Value out = node.output(i);
    TapeEdge edge;
    auto k = static_cast<size_t>(i);
    bool through = k < flows.size() ? flows[k] : grad;
    if (way && through && CarriesGradient(out.dtype())) edge = {way, i, {}};
    Make(out, line, std::move(edge), tainted);
  }
}

}  // namespace sluice
