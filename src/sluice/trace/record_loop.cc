#include <algorithm>

#include "sluice/base/error.h"
#include "sluice/base/foreign_error.h"
#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/decisions.h"
#include "sluice/trace/inside_vmap.h"
#include "sluice/trace/memory_of.h"
#include "sluice/trace/record_region.h"
#include "sluice/trace/region_draft.h"
#include "sluice/trace/run_loop_now.h"
#include "sluice/trace/told_variables.h"

namespace sluice::front_internal {

namespace {

using Carried = RegionRequest::Carried;

// The condition's code draws random numbers or writes a tensor: it is part of
// what iterations carry on.
struct ConditionWrites {};

// Null when the loop does not carry it.
Carried* Find(std::vector<Carried>& carried, const EagerRef& tensor) {
  for (Carried& c : carried) {
    if (c.tensor == tensor) return &c;
  }
  return nullptr;
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

// Which tensors around a loop its variables may be, from one iteration to the
// next: writing one in place writes the other.
class LoopAliases {
 public:
  using Perhaps = TraceState::Perhaps;

  LoopAliases(Capture* capture, const std::vector<Tensor>& inits) {
    all_.resize(inits.size());
    std::vector<EagerRef> values(inits.size());
    for (size_t i = 0; i < inits.size() && capture; ++i) {
      if (IsNumber(inits[i])) continue;
      EagerRef value = capture->ValueOf(inits[i]);
      all_[i] = value->traced->perhaps;
      EagerRef base = MemoryOf(value);
      for (size_t j = 0; j < i; ++j) {
        if (values[j] && Capture::MayShare(*values[j], *value)) {
          InsertAlike(j, i);
        }
      }
      values[i] = value;
      Insert(i, base,
             value->view_of ? Perhaps::How::kLook : Perhaps::How::kWhole);
    }
  }
  // True when an iteration makes it another one.
  bool Add(size_t i, const RecordedRegion& body) {
    if (body.numbers[i]) return false;
    bool more = false;
    if (const EagerRef& same = body.same[i]) {
      more = Insert(i, MemoryOf(same), Perhaps::How::kLook);
    }
    for (const Perhaps& p : body.perhaps[i]) {
      more = Insert(i, p.other, p.how) || more;
    }
    return more;
  }
  // Variables that may be one tensor: before the loop, or after an iteration.
  bool AddAlike(const RecordedRegion& body) {
    bool more = false;
    for (const RecordedRegion::Alike& a : body.alike) {
      more = InsertAlike(a.first, a.second) || more;
    }
    return more;
  }
  void Tell(Capture& capture, const std::vector<Tensor>& outputs) const {
    for (const auto& [a, b] : alike_) {
      const EagerRef& x = outputs[a].identity();
      const EagerRef& y = outputs[b].identity();
      capture.MayBe(*x, y, Perhaps::How::kWhole);
      capture.MayBe(*y, x, Perhaps::How::kWhole);
    }
  }
  const std::vector<std::pair<size_t, size_t>>& alike() const { return alike_; }
  const std::vector<std::vector<Perhaps>>& all() const { return all_; }

 private:
  bool Insert(size_t i, const EagerRef& other, Perhaps::How how) {
    for (const Perhaps& known : all_[i]) {
      if (known.other == other) return false;
    }
    all_[i].push_back({other, other->writes().count, how});
    return true;
  }

  bool InsertAlike(size_t a, size_t b) {
    std::pair<size_t, size_t> pair{a, b};
    if (std::find(alike_.begin(), alike_.end(), pair) != alike_.end()) {
      return false;
    }
    alike_.push_back(pair);
    return true;
  }

  std::vector<std::vector<Perhaps>> all_;
  std::vector<std::pair<size_t, size_t>> alike_;
};

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
  std::vector<ValueType> carried;
  std::vector<DType> dtypes;
  std::vector<Operand> operands;
  for (const Tensor& t : inits) {
    carried.push_back({t.dtype(), t.shape()});
    dtypes.push_back(t.dtype());
    operands.emplace_back(t, where);
  }
  std::vector<bool> flows, numbers;
  for (const Tensor& t : inits) {
    flows.push_back(Flows(t));
    numbers.push_back(IsNumber(t));
  }
  std::vector<Carried> written;  // tensors around the loop that it changes
  // Lanes together go round differently often.
  Capture* tells = InsideVmap() ? nullptr : Capture::Open();
  ToldVariables only_run(tells, inits);
  LoopAliases aliases(Capture::Open(), inits);
  for (;;) {
    std::vector<DType> all_dtypes = dtypes;
    std::vector<Operand> all = operands;
    for (const Carried& c : written) {
      all_dtypes.push_back(c.tensor->dtype());
      all.emplace_back(Tensor(c.tensor), where);
    }
    std::vector<RegionRequest::Told> told = only_run.All(written);
    for (const RegionRequest::Told& t : told) {
      all_dtypes.push_back(t.which ? DType::kI64 : DType::kBool);
      all.push_back(only_run.First(t, written, where));
    }
    Attrs attrs{{"dtypes", all_dtypes},
                {"parallel", settings.parallel},
                {"maximum", settings.maximum},
                {"save", settings.save.how()},
                {"budget", settings.save.bytes()}};
    RegionDraft draft("While", all, attrs,
                      settings.name.empty() ? "while_loop" : settings.name,
                      where);
    auto record = [&](const char* label, const Code& code) {
      return RecordRegion(draft, {label,
                                  carried,
                                  code,
                                  "while_loop",
                                  where,
                                  flows,
                                  numbers,
                                  written,
                                  told,
                                  {},
                                  aliases.all(),
                                  aliases.alike()});
    };
    std::vector<RecordedRegion> regions;
    regions.push_back(record("cond", cond));
    CheckPredicate(regions[0].code, where);
    regions.push_back(record("body", body));
    const CodeResult& next = regions[1].code;
    CheckCarried(next, inits, structure, where);
    bool again = false;
    for (size_t i = 0; i < carried.size(); ++i) {
      PartialShape joined =
          JoinShapes(carried[i].shape, next.tensors[i].shape());
      again = again || !(joined == carried[i].shape);
      carried[i].shape = std::move(joined);
      // Flows differ between no iterations and some.
      bool differ = regions[1].flows[i] != flows[i] || regions[1].when[i];
      if (!tells) {
        again = again || (regions[1].flows[i] && !flows[i]);
        flows[i] = flows[i] || regions[1].flows[i];
      } else if (differ && !only_run.flow_told(i)) {
        only_run.TellFlow(i);
        flows[i] = true;
        again = true;
      }
      again = only_run.TellWhich(i, regions[1].which[i]) || again;
      again = aliases.Add(i, regions[1]) || again;
    }
    again = aliases.AddAlike(regions[1]) || again;
    for (const Written& w : regions[0].written) {
      if (!w.given) throw ConditionWrites();
    }
    for (const Written& w : regions[1].written) {
      Carried* known = Find(written, w.tensor);
      FlowWhen before = Capture::Current()->FlowOf(*w.tensor);
      bool told =
          tells && (before.open() || w.when || w.flows != before.always);
      if (known && known->told == told && (known->flows || !w.flows)) continue;
      if (known && known->told) continue;
      again = true;
      if (known) {
        known->flows = true;
        known->told = told;
      } else {
        written.push_back({w.tensor, w.flows || w.tensor->tracked(), told});
      }
    }
    // Sizes change from one iteration to the next, or captured tensors do: what
    // was recorded may rest on those of the first. Again, knowing better.
    if (again) continue;
    std::vector<ValueType> types = carried;
    std::vector<ReachesTold> reach;
    {
      MutexLock lock(draft.graph().mu());
      std::vector<Value> more;
      for (const Carried& c : written) {
        more.push_back(
            front_internal::Find(regions[1].written, c.tensor)->value);
        types.push_back({c.tensor->dtype(), c.tensor->shape()});
      }
      for (const RegionRequest::Told& t : told) {
        more.push_back(only_run.Next(t, regions[1], written, draft.graph()));
        types.push_back({more.back().dtype(), Shape()});
      }
      AddResults(draft.graph(), *regions[1].region, more);
      if (tells) {
        reach =
            LoopReach(draft, only_run.Variables(regions[1], written), types);
        for (size_t i = all_dtypes.size(); i < types.size(); ++i) {
          all_dtypes.push_back(types[i].dtype);
        }
        draft.graph().SetAttr(draft.node(), "dtypes", all_dtypes);
      }
      draft.graph().SetOutputs(draft.node(), types);
    }
    Operation made = draft.Keep();
    std::vector<bool> through = flows;
    for (const Carried& c : written) through.push_back(c.flows);
    std::vector<int> when(through.size(), -1), which(inits.size(), -1);
    for (size_t i = 0; i < told.size(); ++i) {
      (told[i].which ? which : when)[told[i].argument] =
          static_cast<int>(through.size() + i);
    }
    if (Capture* capture = Capture::Open()) {
      capture->RecordRegions(made.node(), through, when, reach,
                             SourceLine::From(where));
    }
    std::vector<Tensor> outputs = OutputsOf(made);
    for (size_t k = 0; k < written.size(); ++k) {
      TakeWritten(written[k].tensor, outputs[inits.size() + k],
                  written[k].flows, regions, where);
    }
    if (Capture::Open()) WatchKept(outputs, regions);
    outputs.resize(inits.size());
    for (size_t i = 0; i < inits.size(); ++i) {
      if (numbers[i] && regions[1].numbers[i]) SetNumber(outputs[i]);
      // After no iterations it is what it began as.
      Capture* capture = Capture::Open();
      if (!capture || numbers[i]) continue;
      if (which[i] >= 0) {
        capture->SetWhich(*outputs[i].identity(), made.node().output(which[i]));
      }
      capture->MayBe(*outputs[i].identity(), capture->ValueOf(inits[i]),
                     TraceState::Perhaps::How::kWhole);
      MayBeAs(*outputs[i].identity(), regions[1], i);
    }
    if (Capture* capture = Capture::Open()) aliases.Tell(*capture, outputs);
    return outputs;
  }
}

// The condition is asked before the loop and at the end of every iteration,
// which carries the answer.
std::vector<Tensor> RecordAskedLoop(const Code& cond, const Code& body,
                                    std::vector<Tensor> inits,
                                    const std::string& structure,
                                    const LoopSettings& settings,
                                    std::source_location where) {
  auto ask = [&](const std::vector<Tensor>& carried) {
    CodeResult answer = cond(carried);
    CheckPredicate(answer, where);
    return answer.tensors[0];
  };
  const size_t count = inits.size();
  auto own = [count](const std::vector<Tensor>& carried) {
    return std::vector<Tensor>(carried.begin(),
                               carried.begin() + static_cast<ptrdiff_t>(count));
  };
  inits.push_back(ask(inits));
  Code answered = [&](const std::vector<Tensor>& carried) -> CodeResult {
    return {{carried.back()}, "a tensor"};
  };
  Code asking = [&](const std::vector<Tensor>& carried) {
    CodeResult next = body(own(carried));
    if (next.tensors.size() == count) {
      next.tensors.push_back(ask(next.tensors));
    }
    return next;
  };
  return own(RecordLoop(answered, asking, inits, structure, settings, where));
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
  } catch (...) {
    AddToForeignError(StrCat("in iteration ", iteration, " of the loop at ",
                             SourceLine::From(where)));
    throw;
  }
}

}  // namespace

namespace {

bool Decided(Decisions& values, const Tensor& condition,
             std::source_location where) {
  std::optional<Array> known =
      values.Decide(condition, SourceLine::From(where));
  if (known) return *known->data<bool>();
  throw Error(
      Unimplemented("[while_loop] values that are not known before the call "
                    "runs, or too many of them, decide how often it runs; "
                    "wanted code that becomes one graph")
          .WithLine(StrCat("at ", SourceLine::From(where))));
}

}  // namespace

std::vector<Tensor> RunLoop(const Code& cond, const Code& body,
                            const std::vector<Tensor>& inits,
                            const std::string& structure,
                            const LoopSettings& settings,
                            std::source_location where) {
  for (const Tensor& t : inits) {
    if (!t.defined())
      Refuse("while_loop", "an initial value holds nothing", where);
  }
  if (settings.parallel < 1) {
    Refuse("while_loop",
           StrCat("parallel_iterations is ", settings.parallel,
                  "; wanted at least 1"),
           where);
  }
  if (std::string wrong = settings.save.Wrong(); !wrong.empty()) {
    Refuse("while_loop", wrong, where);
  }
  // By values it is run as imperatively, unless they are not to be had.
  Decisions* values = RunsNow(inits) || settings.save.how() != "device"
                          ? nullptr
                          : Decisions::OfConstructs();
  if (!values && !RunsNow(inits)) {
    try {
      return RecordLoop(cond, body, inits, structure, settings, where);
    } catch (const ConditionWrites&) {
      return RecordAskedLoop(cond, body, inits, structure, settings, where);
    }
  }
  return RunLoopNow(
      {.more =
           [&](const std::vector<Tensor>& carried, int64_t i) {
             CodeResult pred = InLoop(cond, carried, i, where);
             CheckPredicate(pred, where);
             return values ? Decided(*values, pred.tensors[0], where)
                           : pred.tensors[0].item<bool>();
           },
       .step =
           [body, structure, where](const std::vector<Tensor>& carried,
                                    int64_t i) {
             CodeResult next = InLoop(body, carried, i, where);
             CheckCarried(next, carried, structure, where);
             return std::move(next.tensors);
           },
       .what = settings.name.empty() ? "while_loop" : settings.name,
       .settings = settings,
       .where = where},
      inits);
}

}  // namespace sluice::front_internal
