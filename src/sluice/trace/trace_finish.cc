// Why one file: one pass over the state that a recording leaves, whose steps
// fill in one object in a fixed order.
#include "sluice/trace/trace_finish.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/view_write.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/trace/grad_arrivals.h"
#include "sluice/trace/graph_tape.h"
#include "sluice/trace/hooked_value.h"
#include "sluice/trace/inside_vmap.h"
#include "sluice/trace/kept_values.h"
#include "sluice/trace/memory_of.h"
#include "sluice/trace/random_place.h"
#include "sluice/trace/rows_on_ways.h"

namespace sluice::front_internal {

int HooksOf(const EagerValue& value) {
  if (!value.extra) return 0;
  return value.extra->next_hook * 1000 +
         static_cast<int>(value.extra->hooks.size());
}

namespace {

// Whether a value is computed from another by ops that can write over it.
bool WritesOver(Value made, const Value& from) {
  while (made != from) {
    const OpRecord& op = made.node->op();
    if ((!op.cpu().in_place && !op.elementwise()) || made.index != 0)
      return false;
    made = made.node->input(0);
  }
  return true;
}

// The value that a value is a view of, by ops that copy nothing.
Value LooksInto(Value value) {
  while (!value.node->is_args() && value.node->op().view && value.index == 0) {
    value = value.node->input(0);
  }
  return value;
}

// Whether the computation checks for itself that it can continue.
bool Asserts(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (node->op().role == Role::kAssert) return true;
    for (const auto& inner : node->regions()) {
      if (Asserts(*inner)) return true;
    }
  }
  return false;
}

// What backward() has used up of the tape below a value.
bool Over(const EagerValue& value) {
  if (!value.producer) return false;
  std::vector<const TapeNode*> open{value.producer.get()};
  std::unordered_set<const TapeNode*> seen(open.begin(), open.end());
  while (!open.empty()) {
    const TapeNode* node = open.back();
    open.pop_back();
    if (node->dropped()) return true;
    for (const TapeEdge& edge : node->edges) {
      if (edge.node && seen.insert(edge.node.get()).second) {
        open.push_back(edge.node.get());
      }
    }
  }
  return false;
}

// Turns what a Capture saw into a Trace.
class Finisher {
 public:
  Finisher(Trace& trace, Capture& capture, const std::string& name,
           std::source_location where)
      : t_(trace), capture_(capture), name_(name), where_(where) {}

  void Results(const std::vector<Tensor>& results) {
    std::vector<EagerRef> values;
    for (const Tensor& r : results) {
      if (!r.defined()) {
        throw Error(InvalidArgument(StrCat("[", name_,
                                           "] a result is a Tensor that holds "
                                           "nothing"))
                        .WithLine(StrCat("at ", SourceLine::From(where_))));
      }
      if (r.is_sparse()) r.value();  // throws
      values.push_back(capture_.ValueOf(r));
      capture_.Now(*values.back());
      capture_.LookedInto(*values.back());
      ++uses_[BaseOf(values.back()).get()];
    }
    CheckApart(values);
    for (const EagerRef& value : values) t_.returned.push_back(Result(value));
    returned_ = std::move(values);
    for (const auto& [fetch, value] : flowing_) {
      if (t_.fetched[fetch].over) continue;
      GradArrivals(capture_, {&value, 1}, 0).CheckSeen(/*kept=*/false);
    }
    CheckRows();
  }

  // A sparse gradient on some paths only leads to decisions by value, instead
  // of one form on all paths.
  void CheckRows() const {
    const bool flows = std::any_of(
        flowing_.begin(), flowing_.end(),
        [&](const auto& flowing) { return !t_.fetched[flowing.first].over; });
    if (!flows || InsideVmap()) return;
    MutexLock lock(capture_.graph().mu());
    for (const Capture::Entry& entry : capture_.entries()) {
      if (!entry.required_grad || !entry.leaf || entry.grad_of) continue;
      if (!RowsOnSomeWays(capture_.graph(), entry.arg)) continue;
      throw Error(Unimplemented(StrCat(
          "whether the gradient of ", entry.value->Describe(),
          ", is sparse depends on the branch taken, which a captured function "
          "does not know while it is recorded; wanted rows alone, or none, on "
          "every way")));
    }
  }

  void Sources() {
    const bool may_fail = Asserts(capture_.graph().root());
    // The code itself runs when an assertion fails, so it must find its state
    // unchanged.
    //
    // Requesting gradients captures their parts; the list may grow.
    for (size_t i = 0; i < capture_.entries().size(); ++i) {
      Land(i);
    }
    Looks();
    for (size_t i = 0; i < capture_.entries().size(); ++i) {
      const Capture::Entry& entry = capture_.entries()[i];
      t_.feeds.push_back(entry.arg);
      Trace::Source source;
      if (entry.argument) {
        ++t_.num_args;
        if (entry.found_outside) source.same = entry.value;
      } else {
        source.value = entry.value;
      }
      if (entry.grad_of) source.grad_of = IndexOf(entry.grad_of);
      source.part = entry.part;
      source.tracked_from = entry.tracked_from;
      source.requires_grad = entry.required_grad;
      source.leaf = entry.leaf;
      source.hooks = HooksOf(*entry.value);
      source.moved = entry.value->moved;
      source.contiguous = entry.contiguous;
      source.order_matters = entry.order_matters;
      source.overwritten = !may_fail && entry.written() &&
                           entry.inside->moved == 0 &&
                           WritesOver(entry.inside->traced->value, entry.arg) &&
                           !StillSeen(entry.arg);
      t_.sources.push_back(std::move(source));
    }
    for (const Capture::GradSeen& seen : capture_.grads_seen()) {
      t_.grads_seen.push_back({seen.entry, seen});
    }
    t_.histories_seen = capture_.histories_seen();
    if (may_fail) t_.dropped.clear();
    Hooks();
    Through();
    CheckLeaves();
    Kept();
  }

  std::vector<std::pair<size_t, EagerRef>> TakeFlowing() {
    return std::move(flowing_);
  }

 private:
  static const EagerRef& BaseOf(const EagerRef& value) {
    return MemoryOf(value);
  }

  int64_t IndexOf(const EagerRef& outside) const {
    for (size_t i = 0; i < capture_.entries().size(); ++i) {
      const Capture::Entry& entry = capture_.entries()[i];
      if (entry.value == outside && !entry.grad_of) {
        return static_cast<int64_t>(i);
      }
    }
    return -1;
  }

  // The old elements are a result: they may not be overwritten.
  bool StillSeen(const Value& arg) const {
    for (const Trace::Fetched& f : t_.fetched) {
      if (LooksInto(f.value) == arg) return true;
    }
    return false;
  }

  size_t Fetch(const EagerRef& value) {
    Value now = capture_.Now(*value);
    bool flows = value->tracked() && kDifferentiable.contains(now.dtype());
    // The elements are new, the history is unchanged.
    if (flows) now = capture_.NowAsOperand(*value);
    t_.fetched.push_back({now, flows, flows && Over(*value)});
    FlowWhen when = capture_.FlowOf(*value);
    if (flows && when.open()) {
      t_.fetched.back().when = Tell(capture_.AnyOf(when));
    }
    if (Value told = capture_.WhichOf(*value).told) {
      t_.fetched.back().which = Tell(told);
    }
    if (flows && !value->producer && value->traced->entry < 0) {
      t_.fetched.back().leaf = true;
      leaves_.push_back(value.get());
    }
    if (flows) flowing_.emplace_back(t_.fetched.size() - 1, value);
    if (flows) SayReach(*value, t_.fetched.back());
    return t_.fetched.size() - 1;
  }

  void SayReach(const EagerValue& value, Trace::Fetched& fetched) {
    fetched.reach_said = true;
    for (const Reached& to : capture_.ReachOf(value, 0)) {
      // Gradients end at a leaf that the code has made; calls are not involved.
      bool known = to.key.leaf && to.key.leaf->traced->entry < 0;
      for (size_t i = 0; i < capture_.entries().size() && !known; ++i) {
        if (!(capture_.EntryKey(i) == to.key)) continue;
        known = true;
        fetched.reach.emplace_back(i, to.when);
      }
      fetched.reach_said = fetched.reach_said && known;
    }
  }

  int64_t Tell(const Value& value) {
    t_.told.push_back(value);
    return static_cast<int64_t>(t_.told.size()) - 1;
  }

  // Returned tensors may be written, so aliases on any path must be known.
  // Where values do not decide, as for branches of while_loop() in Python, the
  // results are separate tensors.
  void CheckApart(const std::vector<EagerRef>& values) const {
    using How = TraceState::Perhaps::How;
    const FunctionVariant& variant = *t_.variant;
    if (Decisions::OfBranches() || !variant.undecided ||
        (variant.decidable && !variant.decidable())) {
      return;
    }
    std::unordered_map<const EagerValue*, const EagerValue*> takers;
    for (const EagerRef& value : values) takers[BaseOf(value).get()] = nullptr;
    std::unordered_set<const EagerValue*> met;
    for (const EagerRef& value : values) {
      const EagerValue* base = BaseOf(value).get();
      if (!met.insert(value.get()).second) continue;
      for (const TraceState::Perhaps& p : base->traced->perhaps) {
        if (p.how == How::kStrides || p.other->traced->number) continue;
        const EagerValue* other = p.other.get();
        bool around = other->traced->entry >= 0 && !OfGradient(*other);
        // A run-time value tells which captured tensor it is; a view of one
        // cannot be expressed that way.
        if (around && p.how == How::kWhole && value.get() == base &&
            capture_.WhichOf(*base).told) {
          continue;
        }
        auto [it, fresh] = takers.try_emplace(other, base);
        if (!around && (fresh || it->second == base)) continue;
        throw Error(Unimplemented(StrCat(
            "a captured function hands out ", value->Describe(),
            ", which shares memory with ", other->Describe(),
            ", on some ways: that depends on the branch taken, or on how often "
            "a loop ran, which it does not know while it is recorded; wanted "
            "a clone()")));
      }
    }
  }

  // The gradient of a result that is a new leaf, or for which retain_grad()
  // kept one.
  void OwnGrad(const EagerRef& value, Trace::Returned& made) {
    const EagerRef& grad = value->grad_place ? *value->grad_place : value->grad;
    if (value->traced->entry >= 0 || !grad) return;
    if (!value->producer && !value->requires_grad) return;
    if (grad->rows || capture_.GradWhen(*value)) {
      throw Error(Unimplemented(StrCat(
          "a captured function hands out ", value->Describe(),
          value->producer ? ", made there," : ", a leaf it has made,",
          " with a gradient that is sparse or is there on some ways only; "
          "wanted requires_grad_() or retain_grad() after the call")));
    }
    made.grad = static_cast<int64_t>(Once(grad));
  }

  Trace::Returned Result(const EagerRef& value) {
    Trace::Returned made;
    made.line = value->line;
    for (const Capture::Look& look : capture_.looks()) {
      if (look.argument < 0 || look.inside != value) continue;
      made.source = look.argument;
      return made;
    }
    OwnGrad(value, made);
    const EagerRef& base = BaseOf(value);
    bool outside = base->traced->entry >= 0 && !OfGradient(*base);
    if (!outside && (base == value || uses_[base.get()] == 1)) {
      made.fetch = Once(value);
      return made;
    }
    if (outside) {
      made.source = base->traced->entry;
    } else {
      made.fetch = Once(base);
    }
    if (!value->view_of) return made;
    made.records = value->view_of->records;
    made.flows = static_cast<bool>(value->producer);
    made.requires_grad = value->requires_grad && !value->producer;
    if (made.requires_grad) {
      leaves_.push_back(value.get());
    }
    AddSteps(value, made.steps);
    return made;
  }

  // The view steps, from the memory's owner on.
  void AddSteps(const EagerRef& value, std::vector<Trace::Step>& steps) {
    if (!value->view_of) return;
    AddSteps(value->view_of->base, steps);
    for (const ViewStep& step : value->view_of->steps) {
      steps.push_back({step, {}});
      for (const EagerRef& other : step.others) {
        steps.back().others.push_back(Fetch(other));
      }
      steps.back().how.others.clear();
    }
    if (!StandsAlone(*value)) return;
    auto [it, fresh] = alone_.try_emplace(value.get(), t_.num_alone);
    if (fresh) ++t_.num_alone;
    steps.back().alone = static_cast<int64_t>(it->second);
    steps.back().history = OwnHistory(value);
    steps.back().leaf = value->requires_grad && !value->producer;
  }

  // The fetch with the history that the code has given to a detached tensor;
  // none: it has none.
  int64_t OwnHistory(const EagerRef& value) {
    capture_.Now(*value);
    if (!StandsAlone(*value) || !value->producer) return -1;
    return static_cast<int64_t>(Once(value));
  }

  // One tensor returned twice is fetched once.
  size_t Once(const EagerRef& value) {
    auto [it, fresh] = fetched_.try_emplace(value.get(), 0);
    if (fresh) it->second = Fetch(value);
    return it->second;
  }

  bool OfGradient(const EagerValue& base) const {
    return static_cast<bool>(
        capture_.entries()[static_cast<size_t>(base.traced->entry)].grad_of);
  }

  bool IsLook(const EagerValue& inside) const {
    for (const Capture::Look& look : capture_.looks()) {
      if (look.inside.get() == &inside) return true;
    }
    return false;
  }

  // A detached tensor between an argument and its base may be used by others.
  void CheckBetween(const Capture::Look& look) const {
    for (const EagerValue* at = look.inside.get(); at->view_of;) {
      at = at->view_of->base.get();
      if (!StandsAlone(*at) || !at->tracked() || IsLook(*at)) continue;
      throw Error(Unimplemented(
          StrCat("a captured function writes a value that requires gradients "
                 "into what ",
                 look.value->Describe(),
                 ", looks into, which was detached from another tensor; wanted "
                 "a clone()")));
    }
  }

  // The state of captured tensors that are views.
  void Looks() {
    for (const Capture::Look& look : capture_.looks()) {
      if (look.inside->grad) {
        throw Error(Unimplemented(StrCat(
            "a captured function leaves a gradient on ", look.value->Describe(),
            ", which looks into the memory of another tensor; wanted "
            "requires_grad_() before the call")));
      }
      if (look.argument >= 0) CheckBetween(look);
      t_.looks.push_back({look.argument < 0 ? look.value : EagerRef(),
                          look.inside->requires_grad,
                          look.in_region ? -1 : OwnHistory(look.inside),
                          look.argument});
    }
  }

  // The new state of a captured tensor.
  void Land(size_t i) {
    const Capture::Entry& entry = capture_.entries()[i];
    if (!entry.inside) return;
    EagerRef inside = entry.inside;
    if (entry.value == RandomPlace()) return LandPlace(i);
    capture_.CheckKnown(*inside);
    if (entry.written()) {
      t_.landings.push_back({i, FetchWritten(inside), /*grad=*/false});
      t_.landings.back().moved = inside->moved > 0;
    }
    if (entry.leaf && inside->requires_grad != entry.required_grad) {
      t_.flags.emplace_back(i, inside->requires_grad);
    }
    if (!entry.grad_set || inside->grad == entry.grad_before) {
      if (!entry.grad_set || entry.grad_before) return;
      // cleared, and it may have had one
    }
    if (!entry.grad_loaded) t_.dropped.push_back(i);
    if (!inside->grad) {
      t_.cleared.push_back(i);
      return;
    }
    const EagerValue& grad = *inside->grad;
    if (grad.rows) {
      size_t first = Fetch(capture_.ValueOf(Tensor(grad.rows->indices)));
      Fetch(capture_.ValueOf(Tensor(grad.rows->values)));
      t_.landings.push_back({i, first, /*grad=*/true, /*rows=*/true});
    } else {
      t_.landings.push_back({i, Once(inside->grad), /*grad=*/true});
    }
    if (Value when = capture_.GradWhen(*inside)) {
      t_.landings.back().when = Tell(when);
    }
  }

  // The number of draws, if it is the same in every call.
  void LandPlace(size_t i) {
    const Capture::Entry& entry = capture_.entries()[i];
    t_.place = static_cast<int64_t>(i);
    PlaceAhead ahead = AheadOf(capture_.Now(*entry.inside));
    t_.draws = ahead.draws;
    if (ahead.from == entry.arg) return;
    t_.place_fetch = static_cast<int64_t>(FetchWritten(entry.inside));
  }

  // The code's own hooks also apply to gradients taken after the call.
  void Hooks() {
    std::unordered_set<const TapeNode*> seen;
    std::vector<const TapeNode*> open;
    auto add = [&](const TapeNode* node) {
      if (node && seen.insert(node).second) open.push_back(node);
    };
    for (const auto& [fetch, value] : flowing_) {
      if (!t_.fetched[fetch].over) add(value->producer.get());
    }
    while (!open.empty()) {
      const TapeNode* node = open.back();
      open.pop_back();
      for (const TapeNode::Hook& hook : node->hooks) Meet(*node, hook);
      for (const TapeEdge& edge : node->edges) add(edge.node.get());
    }
  }

  // Views among the results are remade by every call; gradients inside bypass
  // them.
  void Through() {
    for (size_t k = 0; k < returned_.size(); ++k) {
      const TapeNode* look = returned_[k]->producer.get();
      if (t_.returned[k].steps.empty() || !look) continue;
      for (const auto& [fetch, value] : flowing_) {
        if (!t_.fetched[fetch].over && LeadsTo(*value, *look)) {
          t_.through.push_back({fetch, k});
        }
      }
    }
  }

  static bool LeadsTo(const EagerValue& value, const TapeNode& node) {
    if (!value.producer) return false;
    std::vector<const TapeNode*> open{value.producer.get()};
    std::unordered_set<const TapeNode*> seen(open.begin(), open.end());
    while (!open.empty()) {
      const TapeNode* at = open.back();
      open.pop_back();
      if (at == &node) return true;
      for (const TapeEdge& edge : at->edges) {
        // An earlier node does not lead there.
        if (edge.node && edge.node->depth() >= node.depth() &&
            seen.insert(edge.node.get()).second) {
          open.push_back(edge.node.get());
        }
      }
    }
    return false;
  }

  bool HandsOut(const TapeNode& node, int output) const {
    for (const auto& [fetch, value] : flowing_) {
      if (value->producer.get() == &node && value->output == output)
        return true;
    }
    return false;
  }

  void Meet(const TapeNode& node, const TapeNode::Hook& hook) {
    auto* made = dynamic_cast<const GraphTapeNode*>(&node);
    Value value = made ? made->y(hook.output) : Value();
    // retain_grad(): a call cannot provide the whole gradient of a result that
    // is also used inside; for other values nobody sees it.
    bool keeps = hook.place != nullptr;
    if (keeps && !HandsOut(node, hook.output)) return;
    if (!value || keeps || value.node->region() != &capture_.graph().root()) {
      throw Error(Unimplemented(
          StrCat("a captured function registers a hook at ",
                 node.line().ToString(), keeps ? ", by retain_grad()," : "",
                 " and hands out what was made from there: gradients that "
                 "flow after the call do not meet the hook; wanted it "
                 "registered after the call, or backward() inside")));
    }
    Value hooked = HookValue(capture_, value, hook);
    for (Trace::Fetched& f : t_.fetched) {
      if (f.value == value) f.value = hooked;
    }
  }

  // Gradients end at a new leaf, which calls cannot express.
  void CheckLeaves() {
    for (const auto& [fetch, value] : flowing_) {
      if (t_.fetched[fetch].leaf) continue;
      for (const Reached& to : capture_.ReachOf(*value, 0)) {
        if (std::find(leaves_.begin(), leaves_.end(), to.key.leaf) ==
            leaves_.end()) {
          continue;
        }
        throw Error(Unimplemented(StrCat(
            "a captured function hands out ", to.key.leaf->Describe(),
            ", a leaf it has made by requires_grad_(), and ", value->Describe(),
            ", made from it; wanted requires_grad_() after the call")));
      }
    }
  }

  // What the calls that results depend on keep (trace/kept_values.h).
  void Kept() {
    std::unordered_map<const WriteLog*, size_t> sources, returned;
    for (size_t i = 0; i < capture_.entries().size(); ++i) {
      const EagerRef& inside = capture_.entries()[i].inside;
      if (inside && inside->log) sources.try_emplace(inside->log.get(), i);
    }
    for (const auto& [value, fetch] : fetched_) {
      if (value->log) returned.try_emplace(value->log.get(), fetch);
    }
    std::unordered_map<const WriteLog*, size_t> all = sources;
    all.insert(returned.begin(), returned.end());
    t_.overwritten.resize(t_.fetched.size());
    for (const auto& [fetch, value] : flowing_) {
      for (KeptValue& kept : KeptFor(*value, all)) {
        if (kept.log->count != kept.count) {
          if (kept.on_a_way) {
            // Nobody differentiates it again.
            if (t_.fetched[fetch].over) continue;
            throw Error(Unimplemented(OverwrittenText(
                kept.before, kept.type, *kept.log,
                StrCat(kept.after, "; whether depends on the branch taken"))));
          }
          t_.overwritten[fetch] =
              OverwrittenText(kept.before, kept.type, *kept.log, kept.after);
          continue;
        }
        auto source = sources.find(kept.log);
        bool around = source != sources.end();
        t_.kept.push_back(
            {fetch, around ? static_cast<int64_t>(source->second) : -1,
             around ? 0 : returned.at(kept.log), std::move(kept.before),
             std::move(kept.type), std::move(kept.after)});
      }
    }
  }

  // Elements alone: a leaf remains a leaf.
  size_t FetchWritten(const EagerRef& inside) {
    if (inside->producer && inside->tracked()) return Fetch(inside);
    t_.fetched.push_back({capture_.Now(*inside), false, false});
    return t_.fetched.size() - 1;
  }

  Trace& t_;
  Capture& capture_;
  const std::string& name_;
  std::source_location where_;
  std::unordered_map<const EagerValue*, int> uses_;
  std::unordered_map<const EagerValue*, size_t> fetched_;
  std::unordered_map<const EagerValue*, size_t> alone_;
  std::vector<EagerRef> returned_;
  std::vector<std::pair<size_t, EagerRef>> flowing_;  // by fetch
  std::vector<const EagerValue*> leaves_;  // made by the code and returned
};

}  // namespace

std::vector<std::pair<size_t, EagerRef>> FinishTrace(
    Trace& trace, Capture& capture, const std::vector<Tensor>& results,
    const std::string& name, std::source_location where) {
  Finisher finish(trace, capture, name, where);
  finish.Results(results);
  finish.Sources();
  return finish.TakeFlowing();
}

}  // namespace sluice::front_internal
