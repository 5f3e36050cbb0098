#include "sluice/reference/reference_tokens.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/graph/flow_rules.h"
#include "sluice/launch/node_error.h"
#include "sluice/reference/reference_frame.h"
#include "sluice/reference/reference_wiring.h"

namespace sluice {

namespace {

using Frame = ReferenceFrame;

class Machine {
 public:
  Machine(const Region& region, const ReferenceScope& scope,
          const StepContext& step, const FireNode& fire,
          InterpretObserver* observer)
      : region_(region),
        scope_(scope),
        step_(step),
        fire_(fire),
        observer_(observer) {}

  Result<std::vector<Array>> Run() {
    SL_ASSIGN_OR_RETURN(wiring_, TokenWiring::Of(region_));
    for (const Node* node : wiring_.order) Begin(*node);
    while (!ready_.empty()) {
      if (step_.cancellation && step_.cancellation->cancelled()) {
        return step_.cancellation->status();
      }
      auto [frame, node] = TakeNext();
      std::vector<Token> given;
      Status status = Fire(*frame, *node, given);
      if (status.ok() && observer_) status = Tell(*frame, *node, given);
      if (!status.ok()) return InFrames(status, frame->Places());
      frame->arrivals[node].fired = true;
      ever_fired_.insert(node);
      Frame* entered = node->op().flow == Flow::kEnter
                           ? frame->inner.at(FrameName(*node)).get()
                           : nullptr;
      Settle(entered ? entered : frame);
    }
    return Results();
  }

 private:
  // Delivers values that exist before anything runs: arguments and captures.
  void Begin(const Node& node) {
    const std::vector<Value>& operands = wiring_.operands.at(&node);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (wiring_.Inside(operands[i].node)) continue;
      Deliver(root_, node, i, {scope_.At(operands[i])});
    }
    Wake(root_, node);
  }

  // --- Tokens ----------------------------------------------------------
  void Deliver(Frame& frame, const Node& node, size_t operand, Token token) {
    Arrivals& a = frame.At(node, wiring_);
    if (!token.death && a.first_live < 0) {
      a.first_live = static_cast<int>(operand);
    }
    a.operands[operand] = std::move(token);
    Wake(frame, node);
  }

  // Sends all outputs, and the fact that the node has run.
  void Send(Frame& frame, const Node& node, const std::vector<Token>& outputs,
            const DeathRef& death) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      Value v{const_cast<Node*>(&node), static_cast<int>(i)};
      if (&frame == &root_) fetched_[v] = outputs[i];
      auto users = wiring_.users.find(v);
      if (users == wiring_.users.end()) continue;
      for (const auto& [user, operand] : users->second) {
        Deliver(frame, *user, operand, outputs[i]);
      }
    }
    auto waiters = wiring_.control_users.find(&node);
    if (waiters == wiring_.control_users.end()) return;
    for (const Node* waiter : waiters->second) {
      frame.At(*waiter, wiring_).controls[&node] = {{}, death};
      Wake(frame, *waiter);
    }
  }
  void SendOne(Frame& frame, const Node& node, const Token& token) {
    Send(frame, node, {token}, token.death);
  }

  void Wake(Frame& frame, const Node& node) {
    Arrivals& a = frame.At(node, wiring_);
    if (a.ready || !IsReady(frame, node, a)) return;
    a.ready = true;
    ++frame.num_ready;
    ready_.emplace_back(&frame, &node);
  }

  bool IsReady(const Frame& frame, const Node& node, const Arrivals& a) const {
    for (const Node* c : node.controls()) {
      if (wiring_.Inside(c) && !a.controls.count(c)) return false;
    }
    if (node.op().flow == Flow::kMerge) return MergeIsReady(frame, node, a);
    return std::all_of(a.operands.begin(), a.operands.end(),
                       [](const auto& token) { return token.has_value(); });
  }

  // Alive with the first live operand, dead if all are dead. No NextIteration
  // leads to iteration 0, so a dead Enter makes the Merge dead at once there; a
  // dead NextIteration starts no iteration, so in later iterations a Merge with
  // one cannot die.
  static bool MergeIsReady(const Frame& frame, const Node& node,
                           const Arrivals& a) {
    if (a.first_live >= 0) return true;
    bool all = false;
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (IsBackEdge(node, node.input(i))) {
        if (frame.iteration > 0) return false;
      } else if (a.operands[static_cast<size_t>(i)]) {
        all = true;
      } else {
        return false;
      }
    }
    return all;
  }

  // --- Order -----------------------------------------------------------
  // Whether a node above it that accesses the same resource may still fire.
  bool HeldUp(const Frame& frame, const Node& node) const {
    auto it = wiring_.effects_before.find(&node);
    if (it == wiring_.effects_before.end()) return false;
    for (const Node* before : it->second) {
      if (wiring_.fires_in.at(before) != wiring_.fires_in.at(&node))
        return true;
      auto a = frame.arrivals.find(before);
      if (a == frame.arrivals.end() || !a->second.fired) return true;
    }
    return false;
  }

  std::pair<Frame*, const Node*> TakeNext() {
    auto next = std::find_if(ready_.begin(), ready_.end(), [&](const auto& r) {
      return !HeldUp(*r.first, *r.second);
    });
    if (next == ready_.end()) {
      auto above = [&](const auto& a, const auto& b) {
        return wiring_.position.at(a.second) < wiring_.position.at(b.second);
      };
      next = std::min_element(ready_.begin(), ready_.end(), above);
    }
    auto taken = *next;
    ready_.erase(next);
    --taken.first->num_ready;
    return taken;
  }

  // --- Firing ----------------------------------------------------------
  // The death of the first dead operand or control.
  static DeathRef DeathOf(const Node& node, const Arrivals& a) {
    for (const auto& token : a.operands) {
      if (token && token->death) return token->death;
    }
    for (const Node* c : node.controls()) {
      auto it = a.controls.find(c);
      if (it != a.controls.end() && it->second.death) return it->second.death;
    }
    return nullptr;
  }

  // `given`: its outputs.
  Status Fire(Frame& frame, const Node& node, std::vector<Token>& given) {
    Arrivals a = frame.At(node, wiring_);
    DeathRef death = DeathOf(node, a);
    given.assign(static_cast<size_t>(node.num_outputs()), Token{{}, death});
    switch (node.op().flow) {
      case Flow::kTrigger:
        death = nullptr;
        break;
      case Flow::kMerge:
        if (a.first_live < 0) break;
        death = nullptr;
        given = {*a.operands[static_cast<size_t>(a.first_live)],
                 {Array::Scalar<int32_t>(a.first_live)}};
        break;
      case Flow::kEnter:
        if (!death) given[0] = *a.operands[0];
        Enter(frame, node, given[0]);
        return OkStatus();
      case Flow::kExit:
        if (!death) given[0] = *a.operands[0];
        return Exit(frame, node, given[0]);
      case Flow::kNextIteration:
        if (death) return OkStatus();
        given[0] = *a.operands[0];
        frame.next.emplace_back(&node, given[0]);
        return OkStatus();
      default:
        if (!death) SL_RETURN_IF_ERROR(Compute(frame, node, a, given));
    }
    Send(frame, node, given, death);
    return OkStatus();
  }

  Status Compute(Frame& frame, const Node& node, const Arrivals& a,
                 std::vector<Token>& outputs) {
    if (node.op().flow == Flow::kLoopCond) {
      outputs[0] = *a.operands[0];
      return OkStatus();
    }
    std::vector<Array> inputs;
    for (int i = 0; i < node.num_inputs(); ++i) {
      inputs.push_back(a.operands[static_cast<size_t>(i)]->value);
    }
    if (node.op().flow == Flow::kSwitch) {
      Result<bool> pred = PredicateValue(inputs[1]);
      if (!pred.ok()) {
        return AtNode(InvalidArgument(StrCat("[", node.op().name, "] ",
                                             pred.status().message())),
                      node, inputs);
      }
      Death death{&node, *pred, PlaceText(frame.Places())};
      outputs[*pred ? 1 : 0] = {inputs[0]};
      outputs[*pred ? 0 : 1] = {{}, std::make_shared<const Death>(death)};
      return OkStatus();
    }
    std::vector<FlowPlace> places = FlowPlaces(frame);
    ReferenceScope scope{&scope_,
                         {},
                         TagOf(frame),
                         scope_.depth,
                         places.empty() ? scope_.place : &places.back()};
    for (size_t i = 0; i < a.operands.size(); ++i) {
      scope.values[wiring_.operands.at(&node)[i]] = a.operands[i]->value;
    }
    SL_ASSIGN_OR_RETURN(std::vector<Array> results, fire_(node, inputs, scope));
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = {results[i]};
    return OkStatus();
  }

  Status Tell(const Frame& frame, const Node& node,
              const std::vector<Token>& given) {
    std::vector<FlowPlace> places = FlowPlaces(frame);
    std::vector<Array> outputs;
    for (const Token& token : given) outputs.push_back(token.value);
    return observer_->After(
        node, places.empty() ? scope_.place : &places.back(), outputs);
  }

  // --- Frames ----------------------------------------------------------
  // Outermost first, linked to each other.
  std::vector<FlowPlace> FlowPlaces(const Frame& frame) const {
    std::vector<FramePlace> inner = frame.Places();
    std::vector<FlowPlace> places;
    places.reserve(inner.size());  // they point to each other
    for (auto it = inner.rbegin(); it != inner.rend(); ++it) {
      places.push_back({places.empty() ? scope_.place : &places.back(), nullptr,
                        it->frame, it->iteration});
    }
    return places;
  }

  uint64_t TagOf(const Frame& frame) const {
    if (!frame.parent) return scope_.tag;
    return IterationTag(TagOf(*frame.parent), frame.key,
                        static_cast<uint64_t>(frame.iteration));
  }

  void Enter(Frame& frame, const Node& node, const Token& token) {
    const std::string& name = FrameName(node);
    std::unique_ptr<Frame>& inner = frame.inner[name];
    if (!inner) {
      inner = std::make_unique<Frame>();
      inner->parent = &frame;
      inner->name = name;
      inner->key = FrameKey(node);
      inner->enters_left = wiring_.num_enters.at(name);
    }
    --inner->enters_left;
    if (node.attrs().get<bool>("constant")) {
      inner->constants.emplace_back(&node, token);
    }
    SendOne(*inner, node, token);
  }

  Status Exit(Frame& frame, const Node& node, const Token& token) {
    if (!frame.parent) {
      return AtNode(InvalidArgument("[Exit] is outside of every frame; wanted "
                                    "it behind an Enter"),
                    node, {});
    }
    if (token.death) {
      frame.dead_exits.emplace_back(&node, token.death);
      return OkStatus();
    }
    if (!frame.left.insert(&node).second) {
      return AtNode(InvalidArgument(StrCat(
                        "[Exit] leaves frame \"", frame.name,
                        "\" a second time; wanted one value from a loop")),
                    node, {});
    }
    SendOne(*frame.parent, node, token);
    return OkStatus();
  }

  // Starts the next iteration, or ends the frame, when everything is done.
  void Settle(Frame* frame) {
    while (frame->parent && frame->num_ready == 0 && frame->inner.empty() &&
           frame->enters_left == 0) {
      if (!frame->next.empty()) {
        ++frame->iteration;
        frame->arrivals.clear();
        frame->dead_exits.clear();
        auto next = std::move(frame->next);
        frame->next.clear();
        for (const auto& [enter, token] : frame->constants) {
          SendOne(*frame, *enter, token);
        }
        for (const auto& [node, token] : next) SendOne(*frame, *node, token);
        continue;
      }
      Frame* parent = frame->parent;
      std::unique_ptr<Frame> ended = std::move(parent->inner[frame->name]);
      parent->inner.erase(ended->name);
      for (const auto& [exit, death] : ended->dead_exits) {
        if (!ended->left.count(exit)) SendOne(*parent, *exit, {{}, death});
      }
      frame = parent;
    }
  }

  // --- The end ---------------------------------------------------------
  Result<std::vector<Array>> Results() {
    std::vector<Array> results;
    for (const Value& v : region_.results()) {
      if (!wiring_.Inside(v.node)) {
        results.push_back(scope_.At(v));
        continue;
      }
      auto it = fetched_.find(v);
      if (it == fetched_.end()) return NeverCame(v);
      if (it->second.death) return DeadFetch(v, *it->second.death);
      results.push_back(it->second.value);
    }
    for (const Node* target : region_.targets()) {
      if (ever_fired_.count(target)) continue;
      return CannotGoOn(StrCat("target \"", target->name(), "\""),
                        WaitingNodes(root_, wiring_));
    }
    return results;
  }

  Status NeverCame(const Value& v) {
    const TokenWiring::Frames& frames = wiring_.gives_to.at(v.node);
    if (!frames.empty() && ever_fired_.count(v.node)) {
      return FetchInFrame(v, frames.back());
    }
    return CannotGoOn(StrCat("fetch \"", v.ToString(), "\""),
                      WaitingNodes(root_, wiring_));
  }

  const Region& region_;
  const ReferenceScope& scope_;
  const StepContext& step_;
  const FireNode& fire_;
  InterpretObserver* observer_;
  TokenWiring wiring_;
  Frame root_;
  std::deque<std::pair<Frame*, const Node*>> ready_;
  std::unordered_map<Value, Token, ValueHash> fetched_;
  std::unordered_set<const Node*> ever_fired_;
};

}  // namespace

Result<std::vector<Array>> InterpretTokens(const Region& region,
                                           const ReferenceScope& scope,
                                           const StepContext& step,
                                           const FireNode& fire,
                                           InterpretObserver* observer) {
  return Machine(region, scope, step, fire, observer).Run();
}

}  // namespace sluice
