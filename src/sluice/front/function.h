// function: user code recorded once as a graph and run as a cached plan.
//
//   auto step = sl::function([&](sl::Tensor images, sl::Tensor labels) {
//     auto loss = sl::cross_entropy(net(images), labels);
//     optimizer.zero_grad(); loss.backward(); optimizer.step();
//     return loss;
//   });
//   step(images, labels);
//
// The code runs once per signature (types and numbers of axes of the
// arguments; sizes do not matter) with tensors that belong to a graph. Tensors
// of the program around it are read anew at every call; what the code writes
// into them, and the gradients it leaves on them, happen at every call, in the
// order they are written. Other side effects of the C++ code happen only when
// it is recorded. traces() says what was recorded and why.
//
// A variable() the code makes is made once, when the code runs for the first
// time, and belongs to the function from then on, whatever else is recorded.
//
// Copies share their traces. Calls from several threads take turns.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/front/tensor.h"

namespace sluice {

struct TraceInfo {
  std::string signature;    // "f32[?,?], i64[?]"
  std::string why;          // "the first call", "argument 1 is f64; ..."
  double milliseconds = 0;  // it took to record
  int64_t nodes = 0;
  int64_t captured = 0;  // tensors of the program around it
  int64_t calls = 0;
};

struct FunctionOptions {
  std::string name = "function";
  // Traces kept; the one used longest ago goes first.
  size_t max_traces = 32;
  // Refuse code that does not become one graph whatever its values are. Else
  // such code is recorded for the ways that values of calls decide.
  bool one_graph = false;
};

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

// A function whose code differs by more than tensors tell, as one in Python
// does by its arguments of other kinds: each is recorded by itself.
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

struct FunctionVariant {
  FunctionBody body;
  std::vector<std::string> names{};  // of the tensors; empty: their numbers
  std::string fixed{};               // the other arguments: "training=True"
  std::string why{};                 // how it differs from those before
  // Told of the graph before the body runs: who keeps it may ask tensors of it
  // whatever becomes of the recording.
  std::function<void(const std::shared_ptr<Graph>&)> opened{};
  // Asked while what the body has thrown is handled: why it is to be recorded
  // once more, with values that decide (front/decisions.h). Empty: it is not.
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

 private:
  struct State;
  std::unique_ptr<State> state_;
  VariantRef only_;
};

// Results of user code as a list, and back.
template <class R>
struct Pack {
  static_assert(std::is_same_v<R, Tensor>,
                "a function returns void, a Tensor, a std::vector, a std::pair "
                "or a std::tuple of them");
  static std::vector<Tensor> List(Tensor r) { return {std::move(r)}; }
  static Tensor Back(std::vector<Tensor> r) { return r[0]; }
};
template <>
struct Pack<std::vector<Tensor>> {
  static std::vector<Tensor> List(std::vector<Tensor> r) { return r; }
  static std::vector<Tensor> Back(std::vector<Tensor> r) { return r; }
};
template <class... Ts>
struct Pack<std::tuple<Ts...>> {
  static std::vector<Tensor> List(std::tuple<Ts...> r) {
    return std::apply([](auto&... t) { return std::vector<Tensor>{t...}; }, r);
  }
  static std::tuple<Ts...> Back(std::vector<Tensor> r) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return std::tuple<Ts...>(r[I]...);
    }(std::index_sequence_for<Ts...>());
  }
};
template <>
struct Pack<std::pair<Tensor, Tensor>> {
  static std::vector<Tensor> List(std::pair<Tensor, Tensor> r) {
    return {r.first, r.second};
  }
  static std::pair<Tensor, Tensor> Back(std::vector<Tensor> r) {
    return {r[0], r[1]};
  }
};

template <class F, size_t>
using TensorAt = Tensor;

}  // namespace front_internal

// A recorded function of N tensors that returns R.
template <class R, class... Args>
class Function {
 public:
  using Where = std::source_location;

  Function(std::function<R(Args...)> f, FunctionOptions options)
      : core_(std::make_shared<front_internal::FunctionCore>(
            [f = std::move(f)](const std::vector<Tensor>& args) {
              return Invoke(f, args, std::index_sequence_for<Args...>());
            },
            std::move(options))) {}

  R operator()(std::type_identity_t<Args>... args) const {
    std::vector<Tensor> results =
        core_->Call({Tensor(args)...}, Where::current());
    if constexpr (!std::is_void_v<R>) {
      return front_internal::Pack<R>::Back(std::move(results));
    }
  }
  std::vector<TraceInfo> traces() const { return core_->traces(); }
  // The plan behind a call with these arguments.
  std::string explain(std::type_identity_t<Args>... args) const {
    return core_->Explain({Tensor(args)...});
  }

 private:
  template <size_t... I>
  static std::vector<Tensor> Invoke(const std::function<R(Args...)>& f,
                                    const std::vector<Tensor>& args,
                                    std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>) {
      f(args[I]...);
      return {};
    } else {
      return front_internal::Pack<R>::List(f(args[I]...));
    }
  }

  std::shared_ptr<front_internal::FunctionCore> core_;
};

// The same of a list of tensors, of any length: each length is recorded.
template <class R>
class Function<R, std::vector<Tensor>> {
 public:
  using Where = std::source_location;
  using List = std::vector<Tensor>;

  Function(std::function<R(const List&)> f, FunctionOptions options)
      : core_(std::make_shared<front_internal::FunctionCore>(
            [f = std::move(f)](const List& args) {
              if constexpr (std::is_void_v<R>) {
                f(args);
                return List();
              } else {
                return front_internal::Pack<R>::List(f(args));
              }
            },
            std::move(options))) {}

  R operator()(const List& args, Where where = Where::current()) const {
    List results = core_->Call(args, where);
    if constexpr (!std::is_void_v<R>) {
      return front_internal::Pack<R>::Back(std::move(results));
    }
  }
  std::vector<TraceInfo> traces() const { return core_->traces(); }
  std::string explain(const List& args) const { return core_->Explain(args); }

 private:
  std::shared_ptr<front_internal::FunctionCore> core_;
};

namespace front_internal {
template <class R, class... Args>
auto MakeFunction(std::function<R(Args...)> f, FunctionOptions options) {
  return Function<R, std::decay_t<Args>...>(std::move(f), std::move(options));
}
}  // namespace front_internal

template <class F>
auto function(F f, FunctionOptions options = {}) {
  return front_internal::MakeFunction(std::function(std::move(f)),
                                      std::move(options));
}

}  // namespace sluice
