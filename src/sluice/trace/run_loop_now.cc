#include "sluice/trace/run_loop_now.h"

#include "sluice/base/error.h"
#include "sluice/base/interruption.h"
#include "sluice/base/strings.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/recompute.h"
#include "sluice/session/loop_report.h"
#include "sluice/trace/region_draft.h"

namespace sluice::front_internal {

namespace {

void Report(const LoopNow& loop, LoopUse use) {
  LoopReport* open = LoopReport::Current();
  if (!open) return;
  use.name = loop.what;
  use.line = SourceLine::From(loop.where).ToString();
  open->Add({use});
}

int64_t BytesOf(const std::vector<Tensor>& tensors) {
  int64_t bytes = 0;
  for (const Tensor& t : tensors) bytes += t.array().bytes();
  return bytes;
}

// Up to `most` iterations from number `begin` on. When called again, it runs as
// many as before without evaluating the condition.
TensorFn Stretch(const LoopNow& loop, int64_t begin, int64_t most,
                 std::shared_ptr<int64_t> ran) {
  return
      [&loop, again = loop, begin, most, ran](const std::vector<Tensor>& in) {
        std::vector<Tensor> carried = in;
        if (*ran >= 0) {
          for (int64_t i = 0; i < *ran; ++i)
            carried = again.step(carried, begin + i);
          LoopUse use;
          use.recomputed = *ran;
          Report(again, use);
          return carried;
        }
        int64_t i = 0;
        for (; i < most && begin + i != loop.settings.maximum; ++i) {
          {
            // The condition has no gradient, and is not evaluated the second
            // time.
            NoGrad off;
            if (!loop.more(carried, begin + i)) break;
          }
          ThrowIfError(Interruption::Check());
          carried = loop.step(carried, begin + i);
        }
        *ran = i;
        return carried;
      };
}

std::vector<Tensor> InStretches(const LoopNow& loop,
                                std::vector<Tensor> carried) {
  RefuseToRepeat(loop.what, loop.settings, loop.where);
  LoopUse use;
  use.runs = 1;
  for (int64_t most = 1;; ++most) {
    auto ran = std::make_shared<int64_t>(-1);
    use.kept_bytes += BytesOf(carried);
    carried = RunToRecompute(Stretch(loop, use.iterations, most, ran), carried);
    use.iterations += *ran;
    if (*ran < most) break;
  }
  use.peak_bytes = use.kept_bytes;
  Report(loop, use);
  return carried;
}

// Everything its gradient reads, wherever that is.
bool KeepsAll(const Save& save) {
  return save.how() == "device" || save.how() == "host";
}

// Values recorded one by one cannot be swapped to the host.
void RefuseToSwap(const LoopNow& loop, const std::vector<Tensor>& carried) {
  for (const Tensor& t : carried) {
    if (!t.array().memory()) continue;
    Refuse(loop.what,
           StrCat("save is \"host\" and this loop runs at once on ",
                  DeviceNameOf(t.array().memory()),
                  ", where what its iterations keep stays on the device; "
                  "wanted it in a captured function, or save = \"device\""),
           loop.where);
  }
}

}  // namespace

void RefuseToRepeat(std::string_view what, const LoopSettings& settings,
                    std::source_location where) {
  const Save& save = settings.save;
  if (KeepsAll(save) || !EagerMode::Current().grad) return;
  if (save.how() == "budget") {
    Refuse(
        what,
        "save is a budget and this loop runs at once, where what its "
        "iterations keep is not counted; wanted it in a captured function, or "
        "save = \"recompute\"",
        where);
  }
  if (settings.repeatable) return;
  Refuse(what,
         StrCat("save is \"", save.how(),
                "\" and this loop runs at once, where its code cannot be "
                "called again; wanted it in a captured function, or save = "
                "\"device\""),
         where);
}

std::vector<Tensor> RunLoopNow(const LoopNow& loop,
                               const std::vector<Tensor>& inits) {
  std::vector<Tensor> carried = inits;
  if (!KeepsAll(loop.settings.save) && EagerMode::Current().grad) {
    return InStretches(loop, std::move(carried));
  }
  if (loop.settings.save.how() == "host" && EagerMode::Current().grad) {
    RefuseToSwap(loop, carried);
  }
  LoopUse use;
  use.runs = 1;
  for (int64_t i = 0; i != loop.settings.maximum; ++i) {
    if (!loop.more(carried, i)) break;
    ThrowIfError(Interruption::Check());
    carried = loop.step(carried, i);
    ++use.iterations;
  }
  Report(loop, use);
  return carried;
}

}  // namespace sluice::front_internal
