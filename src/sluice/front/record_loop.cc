#include <algorithm>

#include "sluice/base/error.h"
#include "sluice/base/foreign_error.h"
#include "sluice/base/strings.h"
#include "sluice/front/capture.h"
#include "sluice/front/record_region.h"
#include "sluice/front/region_draft.h"
#include "sluice/front/run_loop_now.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice::front_internal {

namespace {

size_t IndexOf(const std::vector<size_t>& list, size_t entry) {
  return static_cast<size_t>(std::find(list.begin(), list.end(), entry) -
                             list.begin());
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
                {"maximum", settings.maximum},
                {"save", settings.save.how()},
                {"budget", settings.save.bytes()}};
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
  } catch (...) {
    AddToForeignError(StrCat("in iteration ", iteration, " of the loop at ",
                             SourceLine::From(where)));
    throw;
  }
}

}  // namespace

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
  if (std::string wrong = settings.save.Wrong(); !wrong.empty()) {
    Refuse("while_loop", wrong, where);
  }
  if (!RunsNow(inits)) {
    return RecordLoop(cond, body, inits, structure, settings, where);
  }
  return RunLoopNow(
      {.more =
           [&](const std::vector<Tensor>& carried, int64_t i) {
             CodeResult pred = InLoop(cond, carried, i, where);
             CheckPredicate(pred, where);
             return pred.tensors[0].item<bool>();
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
