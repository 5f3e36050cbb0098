#include <algorithm>
#include <deque>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/branch_index.h"
#include "sluice/trace/branch_sayings.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/decisions.h"
#include "sluice/trace/inside_vmap.h"
#include "sluice/trace/record_region.h"
#include "sluice/trace/region_draft.h"

namespace sluice::front_internal {

namespace {

std::string BranchName(std::string_view what, size_t i) {
  if (what == "cond") return i == 0 ? "the true branch" : "the false branch";
  return StrCat("branch ", i);
}

void CheckBranches(std::string_view what, const CodeResult& first,
                   const CodeResult& other, size_t i,
                   std::source_location where) {
  if (first.structure != other.structure ||
      first.tensors.size() != other.tensors.size()) {
    Refuse(what,
           StrCat(BranchName(what, 0), " returns ", first.structure, ", ",
                  BranchName(what, i), " returns ", other.structure,
                  "; wanted equal structures"),
           where);
  }
  for (size_t k = 0; k < first.tensors.size(); ++k) {
    DType a = first.tensors[k].dtype(), b = other.tensors[k].dtype();
    if (a == b) continue;
    Refuse(what,
           StrCat("result ", k, " is ", DTypeName(a), " in ",
                  BranchName(what, 0), " and ", DTypeName(b), " in ",
                  BranchName(what, i), "; wanted equal types"),
           where);
  }
}

// The type of a captured tensor after a branch or an iteration.
void Join(ValueType& type, const Value& value) {
  type.shape = JoinShapes(type.shape, value.shape());
}

// The tensor that result k is in every branch; null if they differ.
EagerRef TheOne(const std::vector<RecordedRegion>& regions, size_t k) {
  for (const RecordedRegion& r : regions) {
    if (r.same[k] != regions[0].same[k]) return {};
  }
  return regions[0].same[k];
}

// The producer of a tensor, if gradients flow through it.
Reach ReachNow(EagerValue& tensor) {
  TapeEdge edge = EdgeTo(tensor);
  if (!edge) return {};
  return {{{edge.node.get(), edge.output, edge.leaf.get()}, {}}};
}

// Records the branches of one construct and makes one node of them. The node
// returns the results, the written tensors outside, and the run-time properties
// of both.
class BranchRecorder {
 public:
  BranchRecorder(const Tensor& chooser, const Attrs& attrs,
                 std::string_view what, std::source_location where)
      : what_(what),
        where_(where),
        draft_(chooser.dtype() == DType::kBool ? "If" : "Case",
               std::vector<Operand>{Operand(chooser, where)}, attrs, what,
               where),
        capture_(Capture::Current()) {}

  BranchOutcome Record(const std::vector<Code>& branches) {
    RecordRegions(branches);
    FindWritten();
    CollectSayings();
    CollectReach();
    SetResults();
    Operation made = draft_.Keep();
    if (Capture::Open()) {
      capture_->RecordRegions(made.node(), flows_, when_, reach_,
                              SourceLine::From(where_));
    }
    std::vector<Tensor> outputs = OutputsOf(made);
    for (size_t k = 0; k < written_.size(); ++k) {
      TakeWritten(written_[k], outputs[num_results_ + k],
                  flows_[num_results_ + k], regions_, where_);
    }
    if (Capture::Open()) WatchKept(outputs, regions_);
    outputs.resize(num_results_);
    Describe(outputs, made);
    return {std::move(outputs), made};
  }

 private:
  void RecordRegions(const std::vector<Code>& branches) {
    for (size_t i = 0; i < branches.size(); ++i) {
      std::string label = draft_.node().op().RegionLabel(i);
      try {
        regions_.push_back(
            RecordRegion(draft_, {label, {}, branches[i], what_, where_}));
      } catch (const UnknownResults&) {
        // The other branches determine it, unless none does; then all of this
        // is recorded again.
        continue;
      }
      const std::vector<Tensor>& tensors = regions_.back().code.tensors;
      if (regions_.size() == 1) {
        for (const Tensor& t : tensors) {
          types_.push_back({t.dtype(), t.shape()});
        }
        continue;
      }
      CheckBranches(what_, regions_[0].code, regions_.back().code, i, where_);
      for (size_t k = 0; k < tensors.size(); ++k) {
        Join(types_[k], tensors[k].value());
      }
    }
    if (regions_.empty()) throw UnknownResults();
    num_results_ = types_.size();
  }

  // Tensors outside that any branch writes, with their earlier values.
  void FindWritten() {
    written_ = AllWritten(regions_);
    for (const EagerRef& tensor : written_) {
      before_.push_back(capture_->NowAsOperand(*tensor));
      types_.push_back(before_.back().type());
    }
  }

  // The run-time properties of the results, and which extra results of the node
  // will hold them.
  void CollectSayings() {
    flowing_.resize(types_.size());
    being_.resize(num_results_);
    std::vector<Value> when_before;
    for (const EagerRef& tensor : written_) {
      FlowWhen flow = capture_->FlowOf(*tensor);
      when_before.push_back(flow.open() ? capture_->AnyOf(flow) : Value());
    }
    for (const RecordedRegion& r : regions_) {
      for (size_t k = 0; k < num_results_; ++k) {
        flowing_[k].Add(r.flows[k], r.when[k]);
        being_[k].Add(r.which[k]);
      }
      for (size_t k = 0; k < written_.size(); ++k) {
        const Written* w = Find(r.written, written_[k]);
        flowing_[num_results_ + k].Add(w ? w->flows : written_[k]->tracked(),
                                       w ? w->when : when_before[k]);
      }
    }
    // Lanes of a vmap take several paths at once.
    tells_ = Capture::Open() && !InsideVmap();
    when_.assign(types_.size(), -1);
    which_.assign(num_results_, -1);
    for (size_t k = 0; k < types_.size(); ++k) {
      flows_.push_back(flowing_[k].some);
      if (tells_ && flowing_[k].differ()) when_[k] = Tell(flowing_[k]);
    }
    for (size_t k = 0; k < num_results_; ++k) {
      if (!tells_ || !being_[k].some || TheOne(regions_, k)) continue;
      which_[k] = Tell(being_[k]);
    }
  }

  // The index of the extra result that holds it.
  int Tell(const Saying& saying) {
    told_.push_back(&saying);
    return static_cast<int>(types_.size() + told_.size() - 1);
  }

  // Destinations of the results' gradients, by branch.
  void CollectReach() {
    reach_.resize(types_.size());
    const size_t first = types_.size() + told_.size();
    for (size_t k = 0; k < types_.size(); ++k) {
      if (!tells_ || !flows_[k]) continue;
      std::vector<const Reach*> by_branch;
      std::deque<Reach> before_it;
      for (const RecordedRegion& r : regions_) {
        if (k < num_results_) {
          by_branch.push_back(&r.reach[k]);
          continue;
        }
        const EagerRef& tensor = written_[k - num_results_];
        const Written* w = Find(r.written, tensor);
        if (!w) before_it.push_back(ReachNow(*tensor));
        by_branch.push_back(w ? &w->reach : &before_it.back());
      }
      reach_[k] = reach_sayings_.Add(by_branch, first);
    }
    for (const Saying& s : reach_sayings_.all()) told_.push_back(&s);
  }

  void SetResults() {
    Graph& graph = draft_.graph();
    MutexLock lock(graph.mu());
    for (size_t i = 0; i < regions_.size(); ++i) {
      RecordedRegion& r = regions_[i];
      std::vector<Value> more;
      for (size_t k = 0; k < written_.size(); ++k) {
        const Written* w = Find(r.written, written_[k]);
        more.push_back(w ? w->value : before_[k]);
        Join(types_[num_results_ + k], more.back());
      }
      for (const Saying* s : told_) {
        more.push_back(s->said[i] ? s->said[i]
                                  : KnownIn(graph, *r.region, s->known[i]));
      }
      AddResults(graph, *r.region, more);
    }
    for (const Saying* s : told_) {
      types_.push_back({s->known[0].dtype(), Shape()});
    }
    std::vector<DType> dtypes;
    for (const ValueType& type : types_) dtypes.push_back(type.dtype);
    graph.SetAttr(draft_.node(), "dtypes", dtypes);
    graph.SetOutputs(draft_.node(), std::move(types_));
  }

  // Properties of the results other than their types.
  void Describe(std::vector<Tensor>& outputs, const Operation& made) {
    for (size_t k = 0; k < num_results_; ++k) {
      bool number = true;
      for (const RecordedRegion& r : regions_) number = number && r.numbers[k];
      if (number) SetNumber(outputs[k]);
      if (EagerRef one = TheOne(regions_, k)) {
        outputs[k] = Tensor(std::move(one));
        continue;
      }
      // Otherwise it may be one of them.
      if (which_[k] >= 0) {
        capture_->SetWhich(*outputs[k].identity(),
                           made.node().output(which_[k]));
      }
      for (const RecordedRegion& r : regions_) {
        if (capture_) MayBeAs(*outputs[k].identity(), r, k);
      }
    }
    MayBeEachOther(outputs, regions_);
  }

  const std::string_view what_;  // "cond" or "switch_case", for messages
  const std::source_location where_;
  RegionDraft draft_;
  Capture* const capture_;
  std::vector<RecordedRegion> regions_;
  std::vector<ValueType> types_;  // of the node's results
  size_t num_results_ = 0;        // of the branches; written tensors follow
  std::vector<EagerRef> written_;
  std::vector<Value> before_;  // their earlier values
  bool tells_ = false;         // extra results hold run-time properties
  std::vector<FlowSaying> flowing_;
  std::vector<WhichSaying> being_;
  ReachSayings reach_sayings_;
  std::vector<const Saying*> told_;  // all of these that are returned, in order
  std::vector<bool> flows_;
  std::vector<int> when_, which_;  // index of the extra result, or -1
  std::vector<ReachesTold> reach_;
};

BranchOutcome RecordBranch(const Tensor& chooser,
                           const std::vector<Code>& branches, bool has_default,
                           std::string_view what, std::source_location where) {
  bool two = chooser.dtype() == DType::kBool;
  if (chooser.shape().rank_known() && chooser.rank() != 0) {
    Refuse(what,
           StrCat(two ? "the predicate is " : "the index is ",
                  TypeText(chooser.dtype(), chooser.shape()),
                  two ? "; wanted a scalar of bool" : "; wanted a scalar"),
           where);
  }
  Attrs attrs{{"dtypes", std::vector<DType>()}};
  if (!two) attrs.set("has_default", has_default);
  return BranchRecorder(chooser, attrs, what, where).Record(branches);
}

}  // namespace

BranchOutcome RunBranch(const Tensor& chooser,
                        const std::vector<Code>& branches, bool has_default,
                        std::source_location where) {
  if (!chooser.defined()) Refuse("cond", "the predicate holds nothing", where);
  std::string_view what =
      chooser.dtype() == DType::kBool ? "cond" : "switch_case";
  if (what == "switch_case" && !kIndices.contains(chooser.dtype())) {
    Refuse(what,
           StrCat("the chooser is ", DTypeName(chooser.dtype()),
                  "; wanted bool for cond, i32 or i64 for switch_case"),
           where);
  }
  if (branches.empty()) Refuse(what, "there are no branches", where);
  std::optional<Array> decided;
  if (RunsNow({chooser})) {
    decided = ValueOrThrow(OnHost(chooser.array()));
  } else if (Decisions* values = Decisions::OfConstructs()) {
    decided = values->Decide(chooser, SourceLine::From(where));
  }
  if (!decided) {
    return RecordBranch(chooser, branches, has_default, what, where);
  }
  Result<size_t> taken = BranchIndex(*decided, branches.size(), has_default);
  if (!taken.ok()) {
    throw Error(Status(taken.status().code(),
                       StrCat("[", what, "] ", taken.status().message()))
                    .WithLine(StrCat("at ", SourceLine::From(where))));
  }
  return {branches[*taken]({}).tensors, {}};
}

}  // namespace sluice::front_internal
