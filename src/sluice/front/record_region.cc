#include "sluice/front/record_region.h"

#include <algorithm>
#include <set>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/executor/flow_rules.h"
#include "sluice/front/call.h"
#include "sluice/front/capture.h"
#include "sluice/front/region_draft.h"
#include "sluice/front/scope.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice::front_internal {

namespace {

std::string BranchName(std::string_view what, size_t i) {
  if (what == "cond") return i == 0 ? "the true branch" : "the false branch";
  return StrCat("branch ", i);
}

void CheckBranches(std::string_view what, const CodeResult& first,
                   const CodeResult& other, size_t i,
                   std::source_location where) {
  if (first.structure != other.structure) {
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

std::vector<Tensor> OutputsOf(const Operation& op) {
  std::vector<Tensor> outputs;
  for (int i = 0; i < op.num_outputs(); ++i) outputs.push_back(op.output(i));
  return outputs;
}

thread_local Operation last_branch;

// Adds values to the results of a region.
void AddResults(Graph& graph, Region& region, const std::vector<Value>& more) {
  std::vector<Value> results(region.results().begin(), region.results().end());
  results.insert(results.end(), more.begin(), more.end());
  graph.SetResults(region, std::move(results));
}

size_t IndexOf(const std::vector<size_t>& list, size_t entry) {
  return static_cast<size_t>(std::find(list.begin(), list.end(), entry) -
                             list.begin());
}

const Written* Find(const std::vector<Written>& written, size_t entry) {
  for (const Written& w : written) {
    if (w.entry == entry) return &w;
  }
  return nullptr;
}

// What any of the regions has written, in order.
std::vector<size_t> AllWritten(const std::vector<RecordedRegion>& regions) {
  std::set<size_t> all;
  for (const RecordedRegion& r : regions) {
    for (const Written& w : r.written) all.insert(w.entry);
  }
  return {all.begin(), all.end()};
}

// The type a captured tensor has after a branch or an iteration.
void Join(ValueType& type, const Value& value) {
  type.shape = JoinShapes(type.shape, value.shape());
}

std::vector<Tensor> RecordBranch(const Tensor& chooser,
                                 const std::vector<Code>& branches,
                                 bool has_default, std::string_view name,
                                 std::string_view what,
                                 std::source_location where) {
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
  RegionDraft draft(two ? "If" : "Case", inputs, attrs,
                    name.empty() ? what : name, where);
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
  std::vector<size_t> written = AllWritten(regions);
  {
    MutexLock lock(graph.mu());
    for (size_t entry : written) types.push_back(CapturedNow(entry).type());
    for (RecordedRegion& r : regions) {
      std::vector<Value> more;
      for (size_t k = 0; k < written.size(); ++k) {
        const Written* w = Find(r.written, written[k]);
        more.push_back(w ? w->value : CapturedNow(written[k]));
        Join(types[num_results + k], more.back());
      }
      AddResults(graph, *r.region, more);
    }
    std::vector<DType> dtypes;
    for (const ValueType& type : types) dtypes.push_back(type.dtype);
    graph.SetAttr(draft.node(), "dtypes", dtypes);
    graph.SetOutputs(draft.node(), std::move(types));
  }
  last_branch = draft.Keep();
  std::vector<Tensor> outputs = OutputsOf(last_branch);
  for (size_t k = 0; k < written.size(); ++k) {
    SetCaptured(written[k], outputs[num_results + k].value());
  }
  outputs.resize(num_results);
  return outputs;
}

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
  if (next.structure != structure) {
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
  std::vector<ValueType> carried;
  std::vector<DType> dtypes;
  std::vector<Operand> operands;
  for (const Tensor& t : inits) {
    carried.push_back({t.dtype(), t.shape()});
    dtypes.push_back(t.dtype());
    operands.emplace_back(t, where);
  }
  std::vector<size_t> written;  // captured tensors the loop changes
  for (;;) {
    std::vector<DType> all_dtypes = dtypes;
    std::vector<Operand> all = operands;
    for (size_t entry : written) {
      Value now = CapturedNow(entry);
      all_dtypes.push_back(now.dtype());
      all.emplace_back(Tensor(Capture::Current()->graph(), now), where);
    }
    Attrs attrs{{"dtypes", all_dtypes},
                {"parallel", settings.parallel},
                {"maximum", settings.maximum}};
    RegionDraft draft("While", all, attrs,
                      settings.name.empty() ? "while_loop" : settings.name,
                      where);
    std::vector<RecordedRegion> regions;
    regions.push_back(RecordRegion(
        draft, {"cond", carried, cond, "while_loop", where, written}));
    CheckPredicate(regions[0].code, where);
    regions.push_back(RecordRegion(
        draft, {"body", carried, body, "while_loop", where, written}));
    const CodeResult& next = regions[1].code;
    CheckCarried(next, inits, structure, where);
    bool again = false;
    for (size_t i = 0; i < carried.size(); ++i) {
      PartialShape joined =
          JoinShapes(carried[i].shape, next.tensors[i].shape());
      again = again || !(joined == carried[i].shape);
      carried[i].shape = std::move(joined);
    }
    for (const Written& w : regions[0].written) {
      if (Find(regions[1].written, w.entry) &&
          w.value == regions[0].region->arg(static_cast<int>(
                         inits.size() + IndexOf(written, w.entry)))) {
        continue;
      }
      Refuse("while_loop",
             StrCat("the condition writes ",
                    Capture::Current()->entries()[w.entry].value->Describe(),
                    "; wanted only the body to"),
             where);
    }
    std::vector<size_t> found = AllWritten({regions[1]});
    again = again || found.size() > written.size();
    written = std::move(found);
    // Sizes change from one iteration to the next, or captured tensors do: what
    // was recorded may rest on those of the first. Again, knowing better.
    if (again) continue;
    std::vector<ValueType> types = carried;
    {
      MutexLock lock(draft.graph().mu());
      std::vector<Value> more;
      for (size_t entry : written) {
        more.push_back(Find(regions[1].written, entry)->value);
        types.push_back(CapturedNow(entry).type());
      }
      AddResults(draft.graph(), *regions[1].region, more);
      draft.graph().SetOutputs(draft.node(), types);
    }
    std::vector<Tensor> outputs = OutputsOf(draft.Keep());
    for (size_t k = 0; k < written.size(); ++k) {
      SetCaptured(written[k], outputs[inits.size() + k].value());
    }
    outputs.resize(inits.size());
    return outputs;
  }
}

// Calls the user's code; what it throws says in which iteration it was.
CodeResult InLoop(const Code& code, const std::vector<Tensor>& carried,
                  int64_t iteration, std::source_location where) {
  try {
    return code(carried);
  } catch (const Error& error) {
    throw Error(
        Status(error.code(), error.what())
            .WithLine(StrCat("in iteration ", iteration, " of the loop at ",
                             SourceLine::From(where))));
  }
}

}  // namespace

bool RunsNow(const std::vector<Tensor>& tensors) {
  if (Building::Current().graph) return false;
  for (const Tensor& t : tensors) {
    if (t && t.symbolic()) return false;
  }
  return true;
}

std::vector<Tensor> RunBranch(const Tensor& chooser,
                              const std::vector<Code>& branches,
                              bool has_default, std::string_view name,
                              std::source_location where) {
  if (!chooser) Refuse("cond", "the predicate holds nothing", where);
  std::string_view what =
      chooser.dtype() == DType::kBool ? "cond" : "switch_case";
  last_branch = {};
  if (what == "switch_case" && !kIndices.contains(chooser.dtype())) {
    Refuse(what,
           StrCat("the chooser is ", DTypeName(chooser.dtype()),
                  "; wanted bool for cond, i32 or i64 for switch_case"),
           where);
  }
  if (branches.empty()) Refuse(what, "there are no branches", where);
  if (!RunsNow({chooser})) {
    return RecordBranch(chooser, branches, has_default, name, what, where);
  }
  const Array& value = chooser.array();
  size_t taken = 0;
  if (value.num_elements() != 1) {
    Refuse(what,
           StrCat(what == "cond" ? "the predicate is " : "the index is ",
                  value.TypeText(),
                  what == "cond" ? "; wanted a scalar of bool"
                                 : "; wanted a scalar"),
           where);
  }
  if (what == "cond") {
    taken = chooser.item<bool>() ? 0 : 1;
  } else {
    int64_t index = value.dtype() == DType::kI32 ? chooser.item<int32_t>()
                                                 : chooser.item<int64_t>();
    bool there = index >= 0 && index < static_cast<int64_t>(branches.size());
    if (!there && !has_default) {
      throw Error(OutOfRange(StrCat("[switch_case] the index is ", index,
                                    "; wanted one of the ", branches.size(),
                                    " branches, 0 to ", branches.size() - 1))
                      .WithLine(StrCat("at ", SourceLine::From(where))));
    }
    taken = there ? static_cast<size_t>(index) : branches.size() - 1;
  }
  return branches[taken]({}).tensors;
}

std::vector<Tensor> RunLoop(const Code& cond, const Code& body,
                            const std::vector<Tensor>& inits,
                            const std::string& structure,
                            const LoopSettings& settings,
                            std::source_location where) {
  for (const Tensor& t : inits) {
    if (!t) Refuse("while_loop", "an initial value holds nothing", where);
  }
  if (settings.parallel < 1) {
    Refuse("while_loop",
           StrCat("parallel_iterations is ", settings.parallel,
                  "; wanted at least 1"),
           where);
  }
  if (!RunsNow(inits)) {
    return RecordLoop(cond, body, inits, structure, settings, where);
  }
  std::vector<Tensor> carried = inits;
  for (int64_t i = 0; i != settings.maximum; ++i) {
    CodeResult pred = InLoop(cond, carried, i, where);
    CheckPredicate(pred, where);
    if (!pred.tensors[0].item<bool>()) break;
    CodeResult next = InLoop(body, carried, i, where);
    CheckCarried(next, carried, structure, where);
    carried = std::move(next.tensors);
  }
  return carried;
}

Operation LastBranch() { return last_branch; }

}  // namespace sluice::front_internal
