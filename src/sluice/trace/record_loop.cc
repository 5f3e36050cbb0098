#include "sluice/base/error.h"
#include "sluice/base/foreign_error.h"
#include "sluice/base/strings.h"
#include "sluice/trace/decisions.h"
#include "sluice/trace/loop_recorder.h"
#include "sluice/trace/record_region.h"
#include "sluice/trace/region_draft.h"
#include "sluice/trace/run_loop_now.h"

namespace sluice::front_internal {

namespace {

// The condition is evaluated before the loop and at the end of every iteration;
// the loop carries its result.
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

// Calls the user's code and adds the iteration to its errors.
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
  // With decisions by value it runs as in imperative code, unless the values
  // are not available.
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
