// FunctionCore: the implementation of sl::function (front/function.h). It holds
// code that is recorded once per signature and its traces, and finds the trace
// for each call.
//
// Calls run concurrently unless they change tensors outside the function.
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

// What user code returned: its tensors, and a note about this recording that
// every call served by it returns to its caller.
struct BodyResult {
  BodyResult(std::vector<Tensor> t, std::shared_ptr<const void> n = nullptr)
      : tensors(std::move(t)), note(std::move(n)) {}
  std::vector<Tensor> tensors;
  std::shared_ptr<const void> note;
  bool once = false;  // valid for this call alone
};

// A run that failed after it was recorded.
class RunFailed : public Error {
 public:
  RunFailed(Status status, bool untouched)
      : Error(std::move(status)), untouched(untouched) {}
  // Tensors outside the function are unchanged.
  const bool untouched;
};
using FunctionBody = std::function<BodyResult(const std::vector<Tensor>&)>;

// Watches user code that runs while a gradient of the recording is built but is
// not part of the recording: rules of custom gradients.
class RulesWatch {
 public:
  virtual ~RulesWatch() = default;
  // Called once the gradient is built. Returns a function that tells, before
  // each later use, whether the state read by that code is unchanged; null when
  // it read none. Throws when the code had an effect that every use would have
  // to repeat.
  virtual std::function<bool()> Done() = 0;
};

// A variant of a function whose code depends on more than tensors, such as a
// Python function with other arguments. Each variant is recorded separately.
struct FunctionVariant {
  FunctionBody body;
  std::vector<std::string> names{};  // of the tensors; empty: their numbers
  std::string fixed{};               // the other arguments: "training=True"
  std::string why{};                 // how it differs from those before
  // Called with the graph before the body runs, so that its owner can use
  // tensors of the graph even if the recording fails.
  std::function<void(const std::shared_ptr<Graph>&)> opened{};
  // Called while an exception of the body is being handled. Returns why the
  // body should be recorded again with decisions by value (trace/decisions.h);
  // empty: it should not.
  std::function<std::string()> undecided{};
  // Values also decide cond and while_loop, because its code has no other
  // branches.
  bool constructs = false;
  // Whether decisions by value would change this recording; null: yes.
  std::function<bool()> decidable{};
  std::function<std::unique_ptr<RulesWatch>()> watch_rules{};
};

class FunctionCore {
 public:
  using VariantRef = std::shared_ptr<const FunctionVariant>;

  // The first makes a function of one variant; the second is given variants.
  FunctionCore(FunctionBody body, FunctionOptions options);
  explicit FunctionCore(FunctionOptions options);
  ~FunctionCore();

  VariantRef Add(FunctionVariant variant) const;
  // Discards the recordings of the variant.
  void Drop(const VariantRef& variant);

  // Whether a call with these arguments belongs to an outer recording.
  static bool Inside(std::span<const Tensor> args);
  BodyResult Call(const VariantRef& variant, const std::vector<Tensor>& args,
                  std::source_location where);
  // Like Call, but runs only if that takes very little time: a trace exists and
  // has few ops on few elements. Otherwise returns nothing and has no effect,
  // because the call would record, wait for another thread or run for a while.
  std::optional<BodyResult> CallIfShort(const VariantRef& variant,
                                        const std::vector<Tensor>& args,
                                        std::source_location where);
  std::vector<TraceInfo> traces() const;
  std::string Explain(const VariantRef& variant,
                      const std::vector<Tensor>& args);
  // The peak memory of such a call, before it runs.
  MemoryForecast PlanMemory(const VariantRef& variant,
                            const std::vector<Tensor>& args);
  // The text of the graph for a call with these arguments.
  std::string GraphText(const VariantRef& variant,
                        const std::vector<Tensor>& args);
  // The variables that its code has made.
  const std::shared_ptr<MadeOnce>& made() const;

  // For a function of one variant.
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
