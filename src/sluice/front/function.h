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
// Copies share their traces. Calls of several threads run at the same time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sluice/eager/tensor.h"
#include "sluice/trace/function_core.h"

namespace sluice {

namespace front_internal {

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
  // What such a call has live at most, before it runs.
  MemoryForecast plan_memory(std::type_identity_t<Args>... args) const {
    return core_->PlanMemory({Tensor(args)...});
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
  MemoryForecast plan_memory(const List& args) const {
    return core_->PlanMemory(args);
  }

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
