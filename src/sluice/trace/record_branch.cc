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

// The type a captured tensor has after a branch or an iteration.
void Join(ValueType& type, const Value& value) {
  type.shape = JoinShapes(type.shape, value.shape());
}

// The same tensor on every way is that tensor; else null.
EagerRef TheOne(const std::vector<RecordedRegion>& regions, size_t k) {
  for (const RecordedRegion& r : regions) {
    if (r.same[k] != regions[0].same[k]) return {};
  }
  return regions[0].same[k];
}

// To where a tensor was made, if gradients flow through it.
Reach ReachNow(EagerValue& tensor) {
  TapeEdge edge = EdgeTo(tensor);
  if (!edge) return {};
  return {{{edge.node.get(), edge.output, edge.leaf.get()}, {}}};
}

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
  std::vector<Operand> inputs{Operand(chooser, where)};
  RegionDraft draft(two ? "If" : "Case", inputs, attrs, what, where);
  Graph& graph = draft.graph();
  std::vector<RecordedRegion> regions;
  std::vector<ValueType> types;
  for (size_t i = 0; i < branches.size(); ++i) {
    std::string label = draft.node().op().RegionLabel(i);
    try {
      regions.push_back(
          RecordRegion(draft, {label, {}, branches[i], what, where}));
    } catch (const UnknownResults&) {
      // The others tell, unless none does; then all this is recorded again.
      continue;
    }
    const std::vector<Tensor>& tensors = regions.back().code.tensors;
    if (regions.size() == 1) {
      for (const Tensor& t : tensors) types.push_back({t.dtype(), t.shape()});
    } else {
      CheckBranches(what, regions[0].code, regions.back().code, i, where);
      for (size_t k = 0; k < tensors.size(); ++k) {
        Join(types[k], tensors[k].value());
      }
    }
  }
  if (regions.empty()) throw UnknownResults();
  size_t num_results = types.size();
  std::vector<EagerRef> written = AllWritten(regions);
  std::vector<Value> before;
  Capture* capture = Capture::Current();
  for (const EagerRef& tensor : written) {
    before.push_back(capture->NowAsOperand(*tensor));
    types.push_back(before.back().type());
  }
  std::vector<FlowSaying> flowing(types.size());
  std::vector<WhichSaying> being(num_results);
  std::vector<Value> when_before;
  for (const EagerRef& tensor : written) {
    FlowWhen flow = capture->FlowOf(*tensor);
    when_before.push_back(flow.open() ? capture->AnyOf(flow) : Value());
  }
  for (const RecordedRegion& r : regions) {
    for (size_t k = 0; k < num_results; ++k) {
      flowing[k].Add(r.flows[k], r.when[k]);
      being[k].Add(r.which[k]);
    }
    for (size_t k = 0; k < written.size(); ++k) {
      const Written* w = Find(r.written, written[k]);
      flowing[num_results + k].Add(w ? w->flows : written[k]->tracked(),
                                   w ? w->when : when_before[k]);
    }
  }
  // Lanes together are on several ways at once.
  const bool tells = Capture::Open() && !InsideVmap();
  std::vector<bool> flows;
  std::vector<int> when(types.size(), -1), which(num_results, -1);
  std::vector<const Saying*> told;
  for (size_t k = 0; k < types.size(); ++k) {
    flows.push_back(flowing[k].some);
    if (!tells || !flowing[k].differ()) continue;
    when[k] = static_cast<int>(types.size() + told.size());
    told.push_back(&flowing[k]);
  }
  for (size_t k = 0; k < num_results; ++k) {
    if (!tells || !being[k].some || TheOne(regions, k)) continue;
    which[k] = static_cast<int>(types.size() + told.size());
    told.push_back(&being[k]);
  }
  std::vector<ReachesTold> reach(types.size());
  ReachSayings sayings;
  const size_t first = types.size() + told.size();
  for (size_t k = 0; k < types.size(); ++k) {
    if (!tells || !flows[k]) continue;
    std::vector<const Reach*> by_branch;
    std::deque<Reach> before_it;
    for (const RecordedRegion& r : regions) {
      if (k < num_results) {
        by_branch.push_back(&r.reach[k]);
        continue;
      }
      const EagerRef& tensor = written[k - num_results];
      const Written* w = Find(r.written, tensor);
      if (!w) before_it.push_back(ReachNow(*tensor));
      by_branch.push_back(w ? &w->reach : &before_it.back());
    }
    reach[k] = sayings.Add(by_branch, first);
  }
  for (const Saying& s : sayings.all()) told.push_back(&s);
  {
    MutexLock lock(graph.mu());
    for (size_t i = 0; i < regions.size(); ++i) {
      RecordedRegion& r = regions[i];
      std::vector<Value> more;
      for (size_t k = 0; k < written.size(); ++k) {
        const Written* w = Find(r.written, written[k]);
        more.push_back(w ? w->value : before[k]);
        Join(types[num_results + k], more.back());
      }
      for (const Saying* s : told) {
        more.push_back(s->said[i] ? s->said[i]
                                  : KnownIn(graph, *r.region, s->known[i]));
      }
      AddResults(graph, *r.region, more);
    }
    for (const Saying* s : told) {
      types.push_back({s->known[0].dtype(), Shape()});
    }
    std::vector<DType> dtypes;
    for (const ValueType& type : types) dtypes.push_back(type.dtype);
    graph.SetAttr(draft.node(), "dtypes", dtypes);
    graph.SetOutputs(draft.node(), std::move(types));
  }
  Operation made = draft.Keep();
  if (Capture::Open()) {
    capture->RecordRegions(made.node(), flows, when, reach,
                           SourceLine::From(where));
  }
  std::vector<Tensor> outputs = OutputsOf(made);
  for (size_t k = 0; k < written.size(); ++k) {
    TakeWritten(written[k], outputs[num_results + k], flows[num_results + k],
                regions, where);
  }
  if (Capture::Open()) WatchKept(outputs, regions);
  outputs.resize(num_results);
  for (size_t k = 0; k < num_results; ++k) {
    bool number = true;
    for (const RecordedRegion& r : regions) number = number && r.numbers[k];
    if (number) SetNumber(outputs[k]);
    if (EagerRef one = TheOne(regions, k)) {
      outputs[k] = Tensor(std::move(one));
      continue;
    }
    // Else it may be one of them.
    if (which[k] >= 0) {
      capture->SetWhich(*outputs[k].identity(), made.node().output(which[k]));
    }
    for (const RecordedRegion& r : regions) {
      if (capture) MayBeAs(*outputs[k].identity(), r, k);
    }
  }
  MayBeEachOther(outputs, regions);
  return {std::move(outputs), made};
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
