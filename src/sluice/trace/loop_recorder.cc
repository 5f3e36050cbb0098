#include "sluice/trace/loop_recorder.h"

#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/graph_tape.h"
#include "sluice/trace/inside_vmap.h"
#include "sluice/trace/loop_aliases.h"
#include "sluice/trace/region_draft.h"
#include "sluice/trace/seen_by_code.h"
#include "sluice/trace/told_variables.h"

namespace sluice::front_internal {

namespace {

using Carried = RegionRequest::Carried;

// Null if the loop does not carry it.
Carried* Find(std::vector<Carried>& carried, const EagerRef& tensor) {
  for (Carried& c : carried) {
    if (c.tensor == tensor) return &c;
  }
  return nullptr;
}

std::vector<ValueType> TypesOf(const std::vector<Tensor>& tensors) {
  std::vector<ValueType> types;
  for (const Tensor& t : tensors) types.push_back({t.dtype(), t.shape()});
  return types;
}

std::vector<Operand> OperandsOf(const std::vector<Tensor>& tensors,
                                std::source_location where) {
  std::vector<Operand> operands;
  for (const Tensor& t : tensors) operands.emplace_back(t, where);
  return operands;
}

std::vector<bool> Each(const std::vector<Tensor>& tensors,
                       bool (*of)(const Tensor&)) {
  std::vector<bool> all;
  for (const Tensor& t : tensors) all.push_back(of(t));
  return all;
}

// Records a loop repeatedly until nothing changes: the effects of an iteration
// on sizes, on gradient flows and on tensors outside the loop change the
// initial state of the next one, and the loop must be recorded for all of them.
class LoopRecorder {
 public:
  LoopRecorder(const std::vector<Tensor>& inits, const LoopSettings& settings,
               std::source_location where)
      : inits_(inits),
        settings_(settings),
        where_(where),
        carried_(TypesOf(inits)),
        operands_(OperandsOf(inits, where)),
        flows_(Each(inits, Flows)),
        numbers_(Each(inits, IsNumber)),
        // Lanes of a vmap run different numbers of iterations.
        tells_(InsideVmap() ? nullptr : Capture::Open()),
        only_run_(tells_, inits),
        aliases_(Capture::Open(), inits) {}

  std::vector<Tensor> Record(const Code& cond, const Code& body,
                             const std::string& structure) {
    for (;;) {
      Round round(*this);
      round.Add("cond", cond);
      CheckPredicate(round.cond().code, where_);
      round.Add("body", body);
      CheckCarried(round.body().code, inits_, structure, where_);
      // Sizes or captured tensors change between iterations, so this recording
      // may rely on those of the first one. Record again with that knowledge.
      bool again = LearnOfVariables(round.body());
      again = LearnOfWritten(round) || again;
      if (!again) return Finish(round);
    }
  }

 private:
  // One recording of both regions, discarded unless it is kept.
  struct Round {
    explicit Round(LoopRecorder& recorder)
        : loop(recorder),
          told(loop.only_run_.All(loop.written_)),
          dtypes(loop.TypesOfAll(told)),
          draft(
              "While", loop.BeginningsOfAll(told), loop.AttrsFor(dtypes),
              loop.settings_.name.empty() ? "while_loop" : loop.settings_.name,
              loop.where_) {}

    void Add(const char* label, const Code& code) {
      regions.push_back(RecordRegion(draft, {label,
                                             loop.carried_,
                                             code,
                                             "while_loop",
                                             loop.where_,
                                             loop.flows_,
                                             loop.numbers_,
                                             loop.written_,
                                             told,
                                             {},
                                             loop.aliases_.all(),
                                             loop.aliases_.alike()}));
    }
    const RecordedRegion& cond() const { return regions[0]; }
    const RecordedRegion& body() const { return regions[1]; }

    LoopRecorder& loop;
    std::vector<RegionRequest::Told> told;
    std::vector<DType> dtypes;  // of everything the loop carries
    RegionDraft draft;
    std::vector<RecordedRegion> regions;
  };

  std::vector<DType> TypesOfAll(
      const std::vector<RegionRequest::Told>& told) const {
    std::vector<DType> dtypes;
    for (const Tensor& t : inits_) dtypes.push_back(t.dtype());
    for (const Carried& c : written_) dtypes.push_back(c.tensor->dtype());
    for (const RegionRequest::Told& t : told) {
      dtypes.push_back(t.which ? DType::kI64 : DType::kBool);
    }
    return dtypes;
  }

  std::vector<Operand> BeginningsOfAll(
      const std::vector<RegionRequest::Told>& told) const {
    std::vector<Operand> operands = operands_;
    for (const Carried& c : written_) {
      operands.emplace_back(Tensor(c.tensor), where_);
    }
    for (const RegionRequest::Told& t : told) {
      operands.push_back(only_run_.First(t, written_, where_));
    }
    return operands;
  }

  Attrs AttrsFor(const std::vector<DType>& dtypes) const {
    return {{"dtypes", dtypes},
            {"parallel", settings_.parallel},
            {"maximum", settings_.maximum},
            {"save", settings_.save.how()},
            {"budget", settings_.save.bytes()}};
  }

  // The effects of an iteration on the loop's variables. Returns true if they
  // add to what was known.
  bool LearnOfVariables(const RecordedRegion& body) {
    bool more = false;
    for (size_t i = 0; i < carried_.size(); ++i) {
      PartialShape joined =
          JoinShapes(carried_[i].shape, body.code.tensors[i].shape());
      more = more || !(joined == carried_[i].shape);
      carried_[i].shape = std::move(joined);
      more = LearnOfFlow(i, body) || more;
      more = only_run_.TellWhich(i, body.which[i]) || more;
      more = aliases_.Add(i, body) || more;
    }
    return aliases_.AddAlike(body) || more;
  }

  bool LearnOfFlow(size_t i, const RecordedRegion& body) {
    if (!tells_) {
      bool more = body.flows[i] && !flows_[i];
      flows_[i] = flows_[i] || body.flows[i];
      return more;
    }
    // Flows with no iterations differ from those with some.
    bool differ = body.flows[i] != flows_[i] || body.when[i];
    if (!differ || only_run_.flow_told(i)) return false;
    only_run_.TellFlow(i);
    flows_[i] = true;
    return true;
  }

  // Tensors outside that an iteration writes, which the loop then carries.
  // Returns true if there are more than were known.
  bool LearnOfWritten(const Round& round) {
    for (const Written& w : round.cond().written) {
      if (!w.given) throw ConditionWrites();
    }
    bool more = false;
    for (const Written& w : round.body().written) {
      Carried* known = Find(written_, w.tensor);
      FlowWhen before = Capture::Current()->FlowOf(*w.tensor);
      bool told =
          tells_ && (before.open() || w.when || w.flows != before.always);
      if (known && known->told == told && (known->flows || !w.flows)) continue;
      if (known && known->told) continue;
      more = true;
      if (known) {
        known->flows = true;
        known->told = told;
      } else {
        written_.push_back({w.tensor, w.flows || w.tensor->tracked(), told});
      }
    }
    return more;
  }

  // The node's results: the variables, the carried tensors, and the run-time
  // properties of both. Returns the destinations of their gradients.
  std::vector<ReachesTold> SetResults(Round& round) {
    Graph& graph = round.draft.graph();
    std::vector<ValueType> types = carried_;
    std::vector<ReachesTold> reach;
    MutexLock lock(graph.mu());
    std::vector<Value> more;
    for (const Carried& c : written_) {
      more.push_back(
          front_internal::Find(round.body().written, c.tensor)->value);
      types.push_back({c.tensor->dtype(), c.tensor->shape()});
    }
    for (const RegionRequest::Told& t : round.told) {
      more.push_back(only_run_.Next(t, round.body(), written_, graph));
      types.push_back({more.back().dtype(), Shape()});
    }
    AddResults(graph, *round.body().region, more);
    if (tells_) {
      reach = LoopReach(round.draft,
                        only_run_.Variables(round.body(), written_), types);
      for (size_t i = round.dtypes.size(); i < types.size(); ++i) {
        round.dtypes.push_back(types[i].dtype);
      }
      graph.SetAttr(round.draft.node(), "dtypes", round.dtypes);
    }
    graph.SetOutputs(round.draft.node(), types);
    return reach;
  }

  std::vector<Tensor> Finish(Round& round) {
    std::vector<ReachesTold> reach = SetResults(round);
    Operation made = round.draft.Keep();
    std::vector<bool> through = flows_;
    for (const Carried& c : written_) through.push_back(c.flows);
    std::vector<int> when(through.size(), -1), which(inits_.size(), -1);
    for (size_t i = 0; i < round.told.size(); ++i) {
      const RegionRequest::Told& t = round.told[i];
      (t.which ? which : when)[t.argument] =
          static_cast<int>(through.size() + i);
    }
    if (Capture* capture = Capture::Open()) {
      capture->RecordRegions(made.node(), through, when, reach,
                             SourceLine::From(where_));
    }
    std::vector<Tensor> outputs = OutputsOf(made);
    SayIteration(outputs, round.body());
    for (size_t k = 0; k < written_.size(); ++k) {
      TakeWritten(written_[k].tensor, outputs[inits_.size() + k],
                  written_[k].flows, round.regions, where_);
    }
    if (Capture::Open()) WatchKept(outputs, round.regions);
    outputs.resize(inits_.size());
    Describe(outputs, made, which, round.body());
    return outputs;
  }

  // Describes how gradients flow through an iteration, where user code sees
  // them.
  void SayIteration(const std::vector<Tensor>& outputs,
                    const RecordedRegion& body) {
    using Flows = GraphTapeNode::Flows;
    if (!tells_) return;
    for (const Tensor& t : outputs) {
      const EagerRef& value = t.identity();
      auto* way = dynamic_cast<GraphTapeNode*>(value->producer.get());
      if (!way) continue;
      if (SeenInLoop(*value->traced->value.node).empty()) return;
      GraphTapeNode::Iteration iteration;
      for (const LoopVariable& from : only_run_.Variables(body, written_)) {
        iteration.emplace_back(body.places.size(), Flows::kNever);
        for (const Reached& to : *from.next) {
          for (size_t j = 0; j < body.places.size(); ++j) {
            if (!to.key || !(body.places[j] == to.key)) continue;
            iteration.back()[j] = to.when ? Flows::kSometimes : Flows::kAlways;
          }
        }
      }
      return way->SetIteration(std::move(iteration));
    }
  }

  // Properties of the results other than their types.
  void Describe(const std::vector<Tensor>& outputs, const Operation& made,
                const std::vector<int>& which, const RecordedRegion& body) {
    Capture* capture = Capture::Open();
    for (size_t i = 0; i < inits_.size(); ++i) {
      if (numbers_[i] && body.numbers[i]) SetNumber(outputs[i]);
      if (!capture || numbers_[i]) continue;
      if (which[i] >= 0) {
        capture->SetWhich(*outputs[i].identity(), made.node().output(which[i]));
      }
      // After no iterations it has its initial value.
      capture->MayBe(*outputs[i].identity(), capture->ValueOf(inits_[i]),
                     TraceState::Perhaps::How::kWhole);
      MayBeAs(*outputs[i].identity(), body, i);
    }
    if (capture) aliases_.Tell(*capture, outputs);
  }

  const std::vector<Tensor>& inits_;
  const LoopSettings& settings_;
  const std::source_location where_;
  std::vector<ValueType> carried_;  // the variables' types in all iterations
  const std::vector<Operand> operands_;  // their initial values
  std::vector<bool> flows_;
  const std::vector<bool> numbers_;
  std::vector<Carried> written_;  // tensors outside the loop that it writes
  Capture* const tells_;          // null: run-time properties cannot be tracked
  ToldVariables only_run_;
  LoopAliases aliases_;
};

}  // namespace

void CheckPredicate(const CodeResult& pred, std::source_location where) {
  if (pred.tensors.size() != 1 || pred.tensors[0].dtype() != DType::kBool ||
      (pred.tensors[0].shape().rank_known() && pred.tensors[0].rank() != 0)) {
    std::string got =
        pred.tensors.size() == 1
            ? TypeText(pred.tensors[0].dtype(), pred.tensors[0].shape())
            : pred.structure;
    Refuse("while_loop",
           StrCat("the condition gives ", got, "; wanted a scalar of bool"),
           where);
  }
}

void CheckCarried(const CodeResult& next, const std::vector<Tensor>& carried,
                  const std::string& structure, std::source_location where) {
  if (next.structure != structure || next.tensors.size() != carried.size()) {
    Refuse("while_loop",
           StrCat("the body returns ", next.structure, "; wanted ", structure,
                  ", as it is given"),
           where);
  }
  for (size_t i = 0; i < carried.size(); ++i) {
    DType now = next.tensors[i].dtype(), was = carried[i].dtype();
    if (now == was) continue;
    Refuse("while_loop",
           StrCat("the body returns ", DTypeName(now), " for value ", i,
                  ", which is ", DTypeName(was), "; wanted the type to stay"),
           where);
  }
}

std::vector<Tensor> RecordLoop(const Code& cond, const Code& body,
                               const std::vector<Tensor>& inits,
                               const std::string& structure,
                               const LoopSettings& settings,
                               std::source_location where) {
  return LoopRecorder(inits, settings, where).Record(cond, body, structure);
}

}  // namespace sluice::front_internal
