// Raw graphs. Every value knows where it is alive: in the outermost frame, a
// branch of a conditional, or an iteration of a frame. To be used in a frame it
// must enter; inside a branch it may be used directly, together with a value of
// the branch itself, but inputs of a Merge or a NextIteration must go through
// the branch's Switch.
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/step/random_flow_test_util.h"

namespace sluice {

namespace {

struct Place {
  const Place* around = nullptr;
  std::string frame{};  // of a frame
  Value pred{};         // of a branch, alive where `around` is
  bool side = false;
  int depth = 0;

  bool is_frame() const { return !frame.empty(); }
  const Place* Frame() const {
    const Place* p = this;
    while (p->around && !p->is_frame()) p = p->around;
    return p;
  }
};

struct Living {
  Value value;
  FlowKind kind;
  const Place* place;
};

class Maker {
 public:
  explicit Maker(uint32_t seed)
      : dice_(seed), graph_(std::make_unique<Graph>("raw")) {}

  RandomFlow Make() {
    budget_ = 8 + dice_.Pick(30);
    RandomFlow flow;
    const Place* root = NewPlace({});
    const FlowKind args[] = {FlowKind::kFloat, FlowKind::kVector,
                             FlowKind::kInt, FlowKind::kBool};
    for (FlowKind kind : args) {
      flow.args.push_back(dice_.Constant(kind));
      std::string name = StrCat("a", flow.args.size());
      Learn({*graph_->AddArg(graph_->root(), name, TypeOf(kind)), kind, root});
    }
    while (budget_ > 0) Statement(root);
    std::vector<Value> results;
    for (const Living& x : living_) {
      if (x.place == root && x.kind != FlowKind::kList) {
        results.push_back(x.value);
      }
    }
    if (results.size() > 8) {
      results.erase(results.begin(), results.end() - 8);
    }
    graph_->SetResults(graph_->root(), std::move(results));
    flow.graph = std::move(graph_);
    return flow;
  }

 private:
  // --- Nodes -----------------------------------------------------------
  Node* Add(const Place* place, std::string_view op,
            const std::vector<Value>& inputs, const Attrs& attrs = {},
            const std::vector<Node*>& controls = {}) {
    NodeOptions options;
    options.controls = controls;
    Result<Node*> node =
        graph_->Add(graph_->root(), op, inputs, attrs, options);
    if (!node.ok()) {
      CheckFailed(__FILE__, __LINE__, node.status().message().c_str());
    }
    Flow flow = (*node)->op().flow;
    if (flow == Flow::kNone || flow == Flow::kSwitch || flow == Flow::kMerge) {
      fired_in_[place->Frame()].push_back(*node);
    }
    return *node;
  }
  const Place* NewPlace(Place place) {
    place.depth = place.around ? place.around->depth + 1 : 0;
    places_.push_back(std::make_unique<Place>(std::move(place)));
    return places_.back().get();
  }
  void Learn(Living x) { living_.push_back(x); }

  static bool Holds(const Place* outer, const Place* inner) {
    for (; inner; inner = inner->around) {
      if (inner == outer) return true;
    }
    return false;
  }

  Living Constant(const Place* place, FlowKind kind) {
    Living x = Constant(place, dice_.Constant(kind), kind);
    if (kind != FlowKind::kList) return x;
    return {Add(x.place, "ListUnstack", {x.value})->output(), kind, x.place};
  }
  Living Constant(const Place* place, const Array& value, FlowKind kind) {
    // A constant that waits for a node of this place is created here; others
    // are outside of all frames.
    Node* pivot = dice_.Chance(50) ? Pivot(place) : nullptr;
    const Place* at = pivot ? place : places_[0].get();
    std::vector<Node*> after;
    if (pivot) after.push_back(pivot);
    Node* node = Add(at, "Const", {}, {{"value", value}}, after);
    return {node->output(), kind, at};
  }
  // A node that is alive exactly where the place is; null outside of all.
  Node* Pivot(const Place* place) {
    for (const Living& x : living_) {
      if (x.place != place || x.value.node->is_args()) continue;
      Flow flow = x.value.node->op().flow;
      // A non-constant Enter passes its token to one iteration only, and both
      // sides of a Switch receive a token.
      if (flow == Flow::kNone) return x.value.node;
    }
    return nullptr;
  }
  Living Any(const Place* place, FlowKind kind) {
    std::vector<Living> fit;
    for (const Living& x : living_) {
      if (x.kind == kind && Holds(x.place, place)) fit.push_back(x);
    }
    if (fit.empty() || dice_.Chance(10)) return Constant(place, kind);
    if (dice_.Chance(40)) return dice_.Of(fit);
    size_t back = static_cast<size_t>(dice_.Pick(3));
    return fit[fit.size() - 1 - std::min(back, fit.size() - 1)];
  }

  // --- Places ----------------------------------------------------------
  // Moves x into the frame of `place`; into the branch only sometimes.
  Living Bring(Living x, const Place* place) {
    if (x.place == place) return x;
    if (place->is_frame()) {
      x = Guarded(x, place->around);
      auto [it, fresh] = entered_.try_emplace({x.value, place});
      if (fresh) {
        it->second = Add(place->around, "Enter", {x.value},
                         {{"frame", place->frame}, {"constant", true}})
                         ->output();
      }
      return {it->second, x.kind, place};
    }
    x = Bring(x, place->around);
    return dice_.Chance(60) ? Send(x, place) : x;
  }
  Living Send(const Living& x, const Place* branch) {
    Node* node = Add(branch->around, "Switch", {x.value, branch->pred});
    return {node->output(branch->side ? 1 : 0), x.kind, branch};
  }
  // Alive there and nowhere else.
  Living Guarded(Living x, const Place* place) {
    x = Bring(x, place);
    return x.place == place ? x : Send(x, place);
  }

  // One op, alive where the innermost of its operands is.
  Living Apply(const Place* place, std::string_view op,
               const std::vector<Living>& operands, FlowKind gives,
               const Attrs& attrs = {}) {
    std::vector<Value> inputs;
    const Place* innermost = place->Frame();
    for (const Living& operand : operands) {
      Living x = Bring(operand, place);
      inputs.push_back(x.value);
      if (x.place->depth > innermost->depth) innermost = x.place;
    }
    std::vector<Node*> after;
    if (dice_.Chance(6)) after = Trigger(place);
    Node* node = Add(place, op, inputs, attrs, after);
    return {node->output(), gives, innermost};
  }
  // A trigger that waits for nodes of this frame, which may be dead.
  std::vector<Node*> Trigger(const Place* place) {
    const std::vector<Node*>& nodes = fired_in_[place->Frame()];
    if (nodes.empty()) return {};
    return {Add(place, "ControlTrigger", {}, {},
                {dice_.Of(nodes), dice_.Of(nodes)})};
  }
  Living Small(const Place* place, const Living& x, int32_t mask) {
    Living m = Constant(place, Array::Scalar<int32_t>(mask), FlowKind::kInt);
    return Apply(place, "BitwiseAnd", {x, m}, FlowKind::kInt);
  }

  // --- Code ------------------------------------------------------------
  void Statement(const Place* place) {
    --budget_;
    int draw = dice_.Pick(100);
    if (draw < 18 && place->depth < 5) {
      Branch(place);
    } else if (draw < 30 && place->depth < 5) {
      Loop(place);
    } else if (draw < 34 && place->depth < 5) {
      Pass(place);
    } else if (draw < 40) {
      if (Node* pivot = Pivot(place)) {
        Node* node = Add(place, "RandomUniform", {},
                         {{"shape", PartialShape(Shape())}}, {pivot});
        Learn({node->output(), FlowKind::kFloat, place});
      }
    } else if (draw < 48) {
      Living one = Apply(place, "ExpandDims", {Any(place, FlowKind::kFloat)},
                         FlowKind::kVector, {{"axis", int64_t{0}}});
      Learn(Apply(place, "Concat", {Any(place, FlowKind::kVector), one},
                  FlowKind::kVector));
    } else {
      const FlowOp& op = dice_.Of(FlowOps());
      std::vector<Living> operands;
      for (FlowKind kind : op.inputs) operands.push_back(Any(place, kind));
      Living out = Apply(place, op.op, operands, op.output, op.attrs);
      if (op.output == FlowKind::kInt) out = Small(place, out, 7);
      Learn(out);
    }
  }
  void Block(const Place* place) {
    for (int n = 1 + dice_.Pick(4); n > 0 && budget_ > 0; --n) {
      Statement(place);
    }
  }

  void Branch(const Place* place) {
    Living pred = Guarded(Any(place, FlowKind::kBool), place);
    const Place* no = NewPlace({place, "", pred.value, false});
    const Place* yes = NewPlace({place, "", pred.value, true});
    Block(no);
    if (dice_.Chance(70)) Block(yes);
    for (int n = 1 + dice_.Pick(3); n > 0; --n) {
      FlowKind kind = dice_.Kind();
      std::vector<Value> ways = {Guarded(Any(no, kind), no).value,
                                 Guarded(Any(yes, kind), yes).value};
      if (dice_.Chance(50)) std::swap(ways[0], ways[1]);
      Node* merge = Add(place, "Merge", ways);
      Learn({merge->output(), kind, place});
      if (dice_.Chance(20)) {
        Learn({merge->output(1), FlowKind::kInt, place});
      }
    }
  }

  Value Enter(const Place* frame, const Living& x) {
    Living at = Guarded(x, frame->around);
    return Add(frame->around, "Enter", {at.value}, {{"frame", frame->frame}})
        ->output();
  }

  struct Variable {
    Node* merge;
    FlowKind kind;
    Value next{};
  };

  void Loop(const Place* place) {
    const Place* frame = NewPlace({place, StrCat("f", ++num_frames_)});
    // The loop bound is computed outside.
    Living limit = Small(place, Any(place, FlowKind::kInt), 3);
    std::vector<Variable> variables;
    for (int n = 2 + dice_.Pick(3); n > 0; --n) {
      bool counter = variables.empty();
      FlowKind kind = counter ? FlowKind::kInt : dice_.Kind();
      Living init = counter ? Constant(place, Array::Scalar<int32_t>(0), kind)
                            : Any(place, kind);
      Value in = Enter(frame, init);
      Node* merge = Add(frame, "Merge", {in, in});
      graph_->SetOutputShape(*merge, 0, TypeOf(kind).shape);
      variables.push_back({merge, kind});
    }
    Living i{variables[0].merge->output(), FlowKind::kInt, frame};
    for (const Variable& v : variables) {
      Learn({v.merge->output(), v.kind, frame});
    }
    if (dice_.Chance(40)) Block(frame);  // runs once more than the body
    Living go = Apply(frame, "Less", {i, limit}, FlowKind::kBool);
    if (dice_.Chance(30)) {
      go = Apply(frame, "LogicalAnd", {go, Any(frame, FlowKind::kBool)},
                 FlowKind::kBool);
    }
    Node* cond = Add(frame, "LoopCond", {go.value});
    const Place* body = NewPlace({frame, "", cond->output(), true});
    const Place* done = NewPlace({frame, "", cond->output(), false});
    Living one = Constant(place, Array::Scalar<int32_t>(1), FlowKind::kInt);
    Living i1 = Apply(body, "Add", {Send(i, body), one}, FlowKind::kInt);
    Block(body);
    for (size_t k = 0; k < variables.size(); ++k) {
      Variable& v = variables[k];
      // Two variables may continue with the same value.
      if (k > 1 && v.kind == variables[k - 1].kind && dice_.Chance(20)) {
        v.next = variables[k - 1].next;
      } else {
        Living next = k == 0 ? i1 : Guarded(Any(body, v.kind), body);
        v.next = Add(body, "NextIteration", {next.value})->output();
      }
      graph_->SetInput(*v.merge, 1, v.next);
    }
    if (dice_.Chance(30)) Block(done);  // runs once, at the end
    std::vector<Living> out;  // not usable inside, which would wait for it
    for (const Variable& v : variables) {
      if (dice_.Chance(30)) continue;
      Living last = Guarded({v.merge->output(), v.kind, frame}, done);
      if (dice_.Chance(30)) last = Guarded(Any(done, v.kind), done);
      out.push_back({Add(done, "Exit", {last.value})->output(), v.kind, place});
    }
    for (const Living& x : out) Learn(x);
  }

  // Into a frame and out again, without an iteration.
  void Pass(const Place* place) {
    const Place* frame = NewPlace({place, StrCat("f", ++num_frames_)});
    FlowKind kind = dice_.Kind();
    Learn({Enter(frame, Any(place, kind)), kind, frame});
    Block(frame);
    for (int n = 1 + dice_.Pick(2); n > 0; --n) {
      // Alive whenever the place is: together with the entered value.
      Living x = living_[EnteredBy(frame)];
      if (dice_.Chance(50)) {
        for (const Living& other : living_) {
          if (other.place == frame) x = other;
        }
      }
      Learn({Add(frame, "Exit", {x.value})->output(), x.kind, place});
    }
  }
  size_t EnteredBy(const Place* frame) const {
    for (size_t i = 0; i < living_.size(); ++i) {
      if (living_[i].place == frame) return i;
    }
    return 0;
  }

  FlowDice dice_;
  std::unique_ptr<Graph> graph_;
  std::vector<std::unique_ptr<Place>> places_;
  std::vector<Living> living_;
  std::map<const Place*, std::vector<Node*>> fired_in_;
  struct ByValue {
    bool operator()(const std::pair<Value, const Place*>& a,
                    const std::pair<Value, const Place*>& b) const {
      return std::tuple(a.first.node->name(), a.first.index, a.second) <
             std::tuple(b.first.node->name(), b.first.index, b.second);
    }
  };
  std::map<std::pair<Value, const Place*>, Value, ByValue> entered_;
  int budget_ = 0, num_frames_ = 0;
};

}  // namespace

RandomFlow MakeRawFlow(uint32_t seed) { return Maker(seed).Make(); }

}  // namespace sluice
