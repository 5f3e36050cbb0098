// FunctionCore: the implementation of sl::function (front/function.h): code
// that is recorded once per signature, its traces, and the search for the trace
// that serves a call.
//
// Calls run at the same time unless they change tensors outside of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/eager/tensor.h"
#include "sluice/plan/memory_forecast.h"
#include "sluice/trace/function_options.h"

namespace sluice {

namespace front_internal {

class MadeOnce;

// What user code gave: its tensors, and what its caller wants to know of this
// recording besides, which every call that runs it is told.
struct BodyResult {
  BodyResult(std::vector<Tensor> t, std::shared_ptr<const void> n = nullptr)
      : tensors(std::move(t)), note(std::move(n)) {}
  std::vector<Tensor> tensors;
  std::shared_ptr<const void> note;
  bool once = false;  // recorded for this call alone: no other is to use it
};

// A run that failed after it was recorded.
class RunFailed : public Error {
 public:
  RunFailed(Status status, bool untouched)
      : Error(std::move(status)), untouched(untouched) {}
  // Nothing has happened to the tensors around.
  const bool untouched;
};
using FunctionBody = std::function<BodyResult(const std::vector<Tensor>&)>;

// Watches code of the user's that runs while a gradient of what was recorded is
// built, and is not part of that: rules of a custom gradient.
class RulesWatch {
 public:
  virtual ~RulesWatch() = default;
  // It is built. Gives what says, for each later use, whether what that code
  // has read is as it was; nothing when it has read nothing. Throws when it has
  // done what every use would have to do.
  virtual std::function<bool()> Done() = 0;
};

// A function whose code differs by more than tensors tell, as one in Python
// does by its arguments of other kinds: each is recorded by itself.
struct FunctionVariant {
  FunctionBody body;
  std::vector<std::string> names{};  // of the tensors; empty: their numbers
  std::string fixed{};               // the other arguments: "training=True"
  std::string why{};                 // how it differs from those before
  // Told of the graph before the body runs: who keeps it may ask tensors of it
  // whatever becomes of the recording.
  std::function<void(const std::shared_ptr<Graph>&)> opened{};
  // Asked while what the body has thrown is handled: why it is to be recorded
  // once more, with values that decide (trace/decisions.h). Empty: it is not.
  std::function<std::string()> undecided{};
  // They decide cond and while_loop, too: its code has no other branches.
  bool constructs = false;
  // Whether they would decide anything in what was recorded; null: yes.
  std::function<bool()> decidable{};
  std::function<std::unique_ptr<RulesWatch>()> watch_rules{};
};

class FunctionCore {
 public:
  using VariantRef = std::shared_ptr<const FunctionVariant>;

  // A function of one variant; and one that is given variants.
  FunctionCore(FunctionBody body, FunctionOptions options);
  explicit FunctionCore(FunctionOptions options);
  ~FunctionCore();

  VariantRef Add(FunctionVariant variant) const;
  // Forgets what was recorded of it.
  void Drop(const VariantRef& variant);

  // Whether a call with these is part of something else that is recorded.
  static bool Inside(std::span<const Tensor> args);
  BodyResult Call(const VariantRef& variant, const std::vector<Tensor>& args,
                  std::source_location where);
  // The same where it takes next to no time: a trace is there, of few ops on
  // few elements. Else nothing, and nothing has happened: it would be recorded,
  // wait for another thread, or run for a while.
  std::optional<BodyResult> CallIfShort(const VariantRef& variant,
                                        const std::vector<Tensor>& args,
                                        std::source_location where);
  std::vector<TraceInfo> traces() const;
  std::string Explain(const VariantRef& variant,
                      const std::vector<Tensor>& args);
  // What such a call has live at most, before it runs.
  MemoryForecast PlanMemory(const VariantRef& variant,
                            const std::vector<Tensor>& args);
  // The graph of a call with these arguments as text.
  std::string GraphText(const VariantRef& variant,
                        const std::vector<Tensor>& args);
  // The variables its code has made.
  const std::shared_ptr<MadeOnce>& made() const;

  // Of a function of one variant.
  std::vector<Tensor> Call(const std::vector<Tensor>& args,
                           std::source_location where) {
    return Call(only_, args, where).tensors;
  }
  std::string Explain(const std::vector<Tensor>& args) {
    return Explain(only_, args);
  }
  MemoryForecast PlanMemory(const std::vector<Tensor>& args) {
    return PlanMemory(only_, args);
  }

 private:
  struct State;
  std::unique_ptr<State> state_;
  VariantRef only_;
};

}  // namespace front_internal

}  // namespace sluice
