#include "sluice/autodiff/loop_checkpoints.h"

#include <algorithm>

#include "sluice/autodiff/carry_more.h"
#include "sluice/autodiff/forward_checkpoints.h"
#include "sluice/autodiff/inner_gradient.h"
#include "sluice/autodiff/loop_extension.h"
#include "sluice/autodiff/repeat_loop.h"
#include "sluice/base/strings.h"
#include "sluice/graph/traverse.h"

namespace sluice {

namespace {

// Carried values that something flows into, at the end or on the way.
std::vector<int> ActiveCarries(Region& body, std::span<const Value> dy) {
  std::unordered_set<int> active;
  for (size_t i = 0; i < dy.size(); ++i) {
    if (dy[i]) active.insert(static_cast<int>(i));
  }
  for (size_t before = 0; before != active.size();) {
    before = active.size();
    std::vector<Value> open;
    std::unordered_set<Value, ValueHash> seen;
    auto reach = [&](const Value& v) {
      if (CarriesGradient(v) && body.Encloses(v.node->region()) &&
          seen.insert(v).second) {
        open.push_back(v);
      }
    };
    for (int i : active) reach(body.results()[static_cast<size_t>(i)]);
    while (!open.empty()) {
      Value v = open.back();
      open.pop_back();
      if (v.node == body.args_node()) {
        active.insert(v.index);
        continue;
      }
      for (const Value& in : InputsWithCaptures(*v.node)) reach(in);
    }
  }
  std::vector<int> sorted(active.begin(), active.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Whether each carried value is read for anything that is used: by results of
// the loop that have users, by other such values, or where it comes from by
// others than the loop, such as the gradient that computes a counter again.
std::vector<bool> NeededCarries(Node& loop) {
  Region& body = *loop.regions()[1];
  std::vector<bool> needed(static_cast<size_t>(loop.num_inputs()));
  std::vector<Value> open;
  std::unordered_set<Value, ValueHash> seen;
  auto reach = [&](const Value& v) {
    if (body.Encloses(v.node->region()) && seen.insert(v).second) {
      open.push_back(v);
    }
  };
  auto use = [&](const Value& v) {
    if (v.node == &loop) reach(body.results()[static_cast<size_t>(v.index)]);
  };
  for (int i = 0; i < loop.num_inputs(); ++i) {
    for (const Node* user : loop.input(i).node->users()) {
      auto in = user->inputs();
      if (user == &loop ||
          std::find(in.begin(), in.end(), loop.input(i)) == in.end()) {
        continue;
      }
      needed[static_cast<size_t>(i)] = true;
      reach(body.results()[static_cast<size_t>(i)]);
    }
  }
  for (const Node* user : loop.users()) {
    for (const Value& v : user->inputs()) use(v);
  }
  for (const Region* r = loop.region(); r; r = r->parent()) {
    for (const Value& v : r->results()) use(v);
  }
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    if (v.node == body.args_node()) {
      needed[static_cast<size_t>(v.index)] = true;
      reach(body.results()[static_cast<size_t>(v.index)]);
      continue;
    }
    for (const Value& in : InputsWithCaptures(*v.node)) reach(in);
  }
  return needed;
}

class Checkpointed {
 public:
  explicit Checkpointed(const RegionGradient& at)
      : at_(at),
        graph_(at.graph),
        loop_(at.node),
        again_(at.graph, at.node),
        budget_(at.node.attrs().get<int64_t>("budget")) {}

  Status Run() {
    SL_RETURN_IF_ERROR(CheckRepeatable(again_));
    active_ = ActiveCarries(again_.body(), at_.dy);
    FindCaptures();
    if (active_.empty()) return OkStatus();
    SL_ASSIGN_OR_RETURN(int trips, LoopExtension(graph_, loop_).CountTrips());
    ForwardCheckpoints forward(graph_, loop_, trips);
    SL_RETURN_IF_ERROR(forward.Prepare());
    SL_RETURN_IF_ERROR(Begin(loop_.output(trips)));
    Region& body = *back_->regions()[1];
    if (budget_ > 0) {
      SL_RETURN_IF_ERROR(Walk(body, forward));
    } else {
      SL_RETURN_IF_ERROR(LastStretch(body, forward));
    }
    for (size_t k = 0; k < active_.size(); ++k) {
      Value init = loop_.input(active_[k]);
      if (!at_.wanted.count(init)) continue;
      at_.flow.Add(init, back_->output(static_cast<int>(1 + k)));
    }
    for (size_t k = 0; k < flowing_.size(); ++k) {
      at_.flow.Add(flowing_[k],
                   back_->output(static_cast<int>(first_flowing_ + k)));
    }
    return OkStatus();
  }

 private:
  void FindCaptures() {
    std::vector<Value> reads = InputsWithCaptures(loop_);
    for (size_t i = static_cast<size_t>(loop_.num_inputs()); i < reads.size();
         ++i) {
      bool known = std::find(captures_.begin(), captures_.end(), reads[i]) !=
                   captures_.end();
      if (!known && at_.wanted.count(reads[i])) captures_.push_back(reads[i]);
    }
  }

  Result<Value> Call(Region& region, std::string_view op,
                     std::vector<Value> inputs, const Attrs& attrs = {}) {
    SL_ASSIGN_OR_RETURN(Node * node,
                        AddBeside(graph_, region, loop_, op, inputs, attrs));
    return node->output();
  }
  Result<Value> Number(Region& region, int64_t n) {
    return Call(region, "Const", {}, {{"value", Array::Scalar<int64_t>(n)}});
  }

  // The backward loop as far as it is known: how many iterations are left, and
  // what flows into what was carried then.
  Status Begin(Value trips) {
    std::vector<Value> starts = {trips};
    std::vector<ValueType> types = {trips.type()};
    for (int i : active_) {
      Value dy = at_.dy[static_cast<size_t>(i)];
      if (!dy) {
        SL_ASSIGN_OR_RETURN(dy, ZerosOf(graph_, at_.region, loop_.output(i)));
      }
      starts.push_back(dy);
      types.push_back(again_.body().arg(i).type());
    }
    std::vector<DType> dtypes;
    for (const ValueType& type : types) dtypes.push_back(type.dtype);
    SL_ASSIGN_OR_RETURN(
        back_, AddBeside(graph_, at_.region, loop_, loop_.op().name, starts,
                         {{"dtypes", dtypes}, {"parallel", int64_t{1}}}));
    for (const char* label : {"cond", "body"}) {
      SL_ASSIGN_OR_RETURN(Region * region, graph_.AddRegion(*back_, label));
      for (size_t i = 0; i < types.size(); ++i) {
        std::string name = i == 0 ? "left" : StrCat("d", i);
        SL_RETURN_IF_ERROR(graph_.AddArg(*region, name, types[i]).status());
      }
    }
    Region& cond = *back_->regions()[0];
    SL_ASSIGN_OR_RETURN(Value zero, Number(cond, 0));
    SL_ASSIGN_OR_RETURN(Value more, Call(cond, "Greater", {cond.arg(0), zero}));
    graph_.SetResults(cond, {more});
    graph_.SetOutputs(*back_, std::move(types));
    return OkStatus();
  }

  // Stands for what was carried at a checkpoint, until it is known what of it
  // must be kept.
  Status AddStandIns(Region& region) {
    for (int i = 0; i < again_.carried; ++i) {
      const ValueType type = again_.body().arg(i).type();
      SL_ASSIGN_OR_RETURN(Value stand_in,
                          Call(region, "Placeholder", {},
                               {{"dtype", type.dtype}, {"shape", type.shape}}));
      stand_ins_.push_back(stand_in);
    }
    return OkStatus();
  }

  // What is needed comes from the lists, `number` in each; else the loop's own
  // first value does as well as any.
  Status ReplaceStandIns(Region& region, const std::vector<bool>& needed,
                         std::span<const Value> lists, Value number) {
    size_t list = 0;
    for (size_t i = 0; i < stand_ins_.size(); ++i) {
      Value start = loop_.input(static_cast<int>(i));
      if (needed[i]) {
        const ValueType type = stand_ins_[i].type();
        SL_ASSIGN_OR_RETURN(
            start, Call(region, "ListGet", {lists[list++], number},
                        {{"dtype", type.dtype}, {"shape", type.shape}}));
        graph_.MoveBefore(*start.node, *stand_ins_[i].node);
      }
      graph_.ReplaceUses(stand_ins_[i], start);
      graph_.Erase(*stand_ins_[i].node);
    }
    return OkStatus();
  }

  // The gradient of one stretch of iterations, given what flows into what is
  // carried at its end.
  struct Stretch {
    Node* forward = nullptr;
    std::vector<Value> carried;   // of active values at its beginning
    std::vector<Value> captured;  // of captures; no value where nothing flows
  };
  Result<Stretch> Differentiate(Region& region, std::span<const Value> starts,
                                Value first, Value trips) {
    Stretch stretch;
    SL_ASSIGN_OR_RETURN(stretch.forward,
                        RepeatLoop(again_, region, starts, first, trips));
    Region& outer = *back_->regions()[1];
    std::vector<Value> dy(static_cast<size_t>(stretch.forward->num_outputs()));
    std::unordered_set<Value, ValueHash> wanted(captures_.begin(),
                                                captures_.end());
    for (size_t k = 0; k < active_.size(); ++k) {
      dy[static_cast<size_t>(active_[k])] = outer.arg(static_cast<int>(1 + k));
      wanted.insert(starts[static_cast<size_t>(active_[k])]);
    }
    GradFlow flow(graph_, region, at_.flow.hoist());
    SL_RETURN_IF_ERROR(LoopGradient(
        {graph_, region, *stretch.forward, std::move(dy), wanted, flow}));
    for (size_t k = 0; k < active_.size(); ++k) {
      const Value& start = starts[static_cast<size_t>(active_[k])];
      SL_ASSIGN_OR_RETURN(Value total, flow.Total(start));
      if (!total) {
        SL_ASSIGN_OR_RETURN(total, ZerosOf(graph_, region, start));
      }
      stretch.carried.push_back(total);
    }
    for (const Value& v : captures_) {
      SL_ASSIGN_OR_RETURN(Value total, flow.Total(v));
      stretch.captured.push_back(total);
    }
    return stretch;
  }

  // One more carried gradient for each capture that something flows into.
  Status CarryCaptures(const Stretch& stretch) {
    first_flowing_ = static_cast<size_t>(back_->num_inputs());
    for (size_t i = 0; i < captures_.size(); ++i) {
      if (!stretch.captured[i]) continue;
      flowing_.push_back(captures_[i]);
      SL_ASSIGN_OR_RETURN(Value zeros,
                          ZerosOf(graph_, at_.region, captures_[i]));
      graph_.MoveBefore(*zeros.node, *back_);
      for (const Value& v : zeros.node->inputs()) {
        if (v.node->region() == &at_.region && !v.node->is_args() &&
            IsNew(*v.node)) {
          graph_.MoveBefore(*v.node, *zeros.node);
        }
      }
      SL_RETURN_IF_ERROR(
          CarryMore(graph_, *back_, zeros, captures_[i].type(), "captured")
              .status());
    }
    return OkStatus();
  }
  // Made since the backward loop was.
  bool IsNew(const Node& node) const { return node.id() > back_->id(); }

  // captured so far + what this stretch gives.
  Result<std::vector<Value>> Sums(Region& region, const Stretch& stretch) {
    std::vector<Value> sums;
    Region& outer = *back_->regions()[1];
    for (const Value& part : stretch.captured) {
      if (!part) continue;
      auto at = static_cast<int>(first_flowing_ + sums.size());
      SL_ASSIGN_OR_RETURN(Value sum,
                          Call(region, "Add", {outer.arg(at), part}));
      sums.push_back(sum);
    }
    return sums;
  }

  // "recompute": from the last checkpoint to the end of what is left.
  Status LastStretch(Region& body, ForwardCheckpoints& forward) {
    SL_ASSIGN_OR_RETURN(Value zero, Number(body, 0));
    SL_ASSIGN_OR_RETURN(Value one, Number(body, 1));
    SL_ASSIGN_OR_RETURN(Value every,
                        Call(body, "Gather", {forward.state(), zero}));
    SL_ASSIGN_OR_RETURN(Value last, Call(body, "Sub", {body.arg(0), one}));
    SL_ASSIGN_OR_RETURN(Value number, Call(body, "FloorDiv", {last, every}));
    SL_ASSIGN_OR_RETURN(Value first, Call(body, "Mul", {number, every}));
    SL_ASSIGN_OR_RETURN(Value trips, Call(body, "Sub", {body.arg(0), first}));
    SL_RETURN_IF_ERROR(AddStandIns(body));
    SL_ASSIGN_OR_RETURN(Stretch stretch,
                        Differentiate(body, stand_ins_, first, trips));
    SL_RETURN_IF_ERROR(CarryCaptures(stretch));
    SL_ASSIGN_OR_RETURN(std::vector<Value> sums, Sums(body, stretch));
    std::vector<Value> results = {first};
    results.insert(results.end(), stretch.carried.begin(),
                   stretch.carried.end());
    results.insert(results.end(), sums.begin(), sums.end());
    graph_.SetResults(body, std::move(results));
    std::vector<bool> needed = NeededCarries(*stretch.forward);
    std::vector<Value> lists;
    for (int i = 0; i < again_.carried; ++i) {
      if (!needed[static_cast<size_t>(i)]) continue;
      SL_ASSIGN_OR_RETURN(int list, forward.Keep(i));
      lists.push_back(loop_.output(list));
    }
    return ReplaceStandIns(body, needed, lists, number);
  }

  // A budget: the way back is found as it goes (CheckpointWalk). Each time
  // round, from one of the checkpoints so many iterations on, and there either
  // one more checkpoint or the gradient of what is left.
  Status Walk(Region& body, ForwardCheckpoints& forward) {
    SL_ASSIGN_OR_RETURN(Value zero, NumberBefore(0));
    SL_ASSIGN_OR_RETURN(Value two, NumberBefore(2));
    SL_ASSIGN_OR_RETURN(Value every,
                        Before(at_.region, "Gather", {forward.state(), zero}));
    SL_ASSIGN_OR_RETURN(Value each,
                        Before(at_.region, "Gather", {forward.state(), two}));
    SL_ASSIGN_OR_RETURN(
        Value positions,
        Before(at_.region, "Range", {zero, back_->input(0), every}));
    ValueType vector{DType::kI64, PartialShape::OfRank(1)};
    SL_ASSIGN_OR_RETURN(
        int per_trip, CarryMore(graph_, *back_, zero, zero.type(), "per_trip"));
    SL_ASSIGN_OR_RETURN(
        int at, CarryMore(graph_, *back_, positions, vector, "positions"));
    Value in[] = {body.arg(at), body.arg(0), body.arg(per_trip), each};
    SL_ASSIGN_OR_RETURN(Node * walk,
                        AddBeside(graph_, body, loop_, "CheckpointWalk", in,
                                  {{"budget", budget_}}));
    Value index = walk->output(1), advance = walk->output(2),
          trips = walk->output(3), keep = walk->output(4);
    SL_ASSIGN_OR_RETURN(Value first,
                        Call(body, "Gather", {body.arg(at), index}));
    SL_RETURN_IF_ERROR(AddStandIns(body));
    SL_ASSIGN_OR_RETURN(Node * on,
                        RepeatLoop(again_, body, stand_ins_, first, advance));
    std::vector<Value> moved;
    for (int i = 0; i < again_.carried; ++i) moved.push_back(on->output(i));
    SL_ASSIGN_OR_RETURN(Value middle, Call(body, "Add", {first, advance}));
    SL_ASSIGN_OR_RETURN(Value nothing, Number(body, 0));
    SL_ASSIGN_OR_RETURN(Value pred, Call(body, "Greater", {trips, nothing}));
    SL_ASSIGN_OR_RETURN(Node * choose,
                        AddBeside(graph_, body, loop_, "If", {&pred, 1},
                                  {{"dtypes", std::vector<DType>()}}));
    SL_ASSIGN_OR_RETURN(Region * gradient, graph_.AddRegion(*choose, "then"));
    SL_ASSIGN_OR_RETURN(Region * leave, graph_.AddRegion(*choose, "else"));

    SL_ASSIGN_OR_RETURN(Stretch stretch,
                        Differentiate(*gradient, moved, middle, trips));
    SL_RETURN_IF_ERROR(CarryCaptures(stretch));
    SL_ASSIGN_OR_RETURN(Value measured, PerTrip(*gradient, *stretch.forward,
                                                trips, body.arg(per_trip)));
    SL_ASSIGN_OR_RETURN(std::vector<Value> sums, Sums(*gradient, stretch));
    std::vector<Value> then = {middle};
    then.insert(then.end(), stretch.carried.begin(), stretch.carried.end());
    then.push_back(measured);
    then.insert(then.end(), sums.begin(), sums.end());
    std::vector<Value> otherwise;
    for (int i = 0; i < back_->num_inputs(); ++i) {
      if (i != at) otherwise.push_back(body.arg(i));
    }

    std::vector<bool> needed = NeededCarries(*stretch.forward);
    std::vector<Value> lists;
    for (int i = 0; i < again_.carried; ++i) {
      if (!needed[static_cast<size_t>(i)]) continue;
      SL_ASSIGN_OR_RETURN(int kept, forward.Keep(i));
      Value list = loop_.output(kept);
      SL_ASSIGN_OR_RETURN(
          int stack, CarryMore(graph_, *back_, list, list.type(), "stack"));
      lists.push_back(body.arg(stack));
      SL_ASSIGN_OR_RETURN(Value left,
                          Call(body, "ListResize", {body.arg(stack), keep}));
      graph_.MoveBefore(*left.node, *choose);
      then.push_back(left);
      SL_ASSIGN_OR_RETURN(
          Value more,
          Call(*leave, "ListAppend", {left, moved[static_cast<size_t>(i)]}));
      otherwise.push_back(more);
    }
    Close(body, *choose, at, walk->output(0), std::move(then),
          std::move(otherwise));
    return ReplaceStandIns(body, needed, lists, index);
  }

  // The results of both regions, of the choice, and of the body, which also
  // carries the positions.
  void Close(Region& body, Node& choose, int at, Value positions,
             std::vector<Value> then, std::vector<Value> otherwise) {
    std::vector<DType> dtypes;
    std::vector<ValueType> types;
    for (int i = 0; i < back_->num_inputs(); ++i) {
      if (i == at) continue;
      types.push_back(body.arg(i).type());
      dtypes.push_back(types.back().dtype);
    }
    graph_.SetResults(*choose.regions()[0], std::move(then));
    graph_.SetResults(*choose.regions()[1], std::move(otherwise));
    graph_.SetAttr(choose, "dtypes", dtypes);
    graph_.SetOutputs(choose, std::move(types));
    std::vector<Value> results;
    for (int i = 0; i < back_->num_inputs(); ++i) {
      results.push_back(i == at ? positions
                                : choose.output(i < at ? i : i - 1));
    }
    graph_.SetResults(body, std::move(results));
  }

  // The most that an iteration has been seen to keep, in bytes; 0 says that
  // none has been seen yet.
  Result<Value> PerTrip(Region& region, Node& repeated, Value trips,
                        Value before) {
    SL_ASSIGN_OR_RETURN(Value one, Number(region, 1));
    SL_ASSIGN_OR_RETURN(Value bytes, Call(region, "Sub", {trips, one}));
    for (int i = again_.carried + 1; i < repeated.num_outputs(); ++i) {
      if (repeated.output_type(i).dtype != DType::kList) continue;
      SL_ASSIGN_OR_RETURN(Value more,
                          Call(region, "ListBytes", {repeated.output(i)}));
      SL_ASSIGN_OR_RETURN(bytes, Call(region, "Add", {bytes, more}));
    }
    SL_ASSIGN_OR_RETURN(Value each, Call(region, "FloorDiv", {bytes, trips}));
    SL_ASSIGN_OR_RETURN(each, Call(region, "Maximum", {each, one}));
    return Call(region, "Maximum", {each, before});
  }

  // Above the backward loop.
  Result<Value> Before(Region& region, std::string_view op,
                       std::vector<Value> inputs, const Attrs& attrs = {}) {
    SL_ASSIGN_OR_RETURN(Value v, Call(region, op, std::move(inputs), attrs));
    graph_.MoveBefore(*v.node, *back_);
    return v;
  }
  Result<Value> NumberBefore(int64_t n) {
    return Before(at_.region, "Const", {},
                  {{"value", Array::Scalar<int64_t>(n)}});
  }

  const RegionGradient& at_;
  Graph& graph_;
  Node& loop_;
  const LoopToRepeat again_;
  const int64_t budget_;
  Node* back_ = nullptr;
  std::vector<int> active_;
  std::vector<Value> captures_, flowing_;
  size_t first_flowing_ = 0;  // of the backward loop's carried values
  std::vector<Value> stand_ins_;
};

}  // namespace

bool KeepsCheckpoints(const Node& loop) {
  return loop.op().FindAttr("save") &&
         loop.attrs().get<std::string>("save") != "device";
}

Status CheckpointedGradient(const RegionGradient& at) {
  return Checkpointed(at).Run();
}

}  // namespace sluice
