// vmap: code written for one example, run on many at once.
//
//   auto norms = sl::vmap([](sl::Tensor v) { return sl::sqrt(sl::sum(v * v));
//   }); norms(xs);                        // xs is [n, d]: n numbers
//
//   auto score = sl::vmap([](sl::Tensor x, sl::Tensor w) {...},
//                         {.in_axes = {0, sl::unbatched}, .out_axes = {1}});
//
// The code sees one lane: a slice of each argument along its axis. It may read
// tensors and variables around it, call cond, while_loop and functions, be a
// vmap or hold gradients itself. Branches run on the lanes that take them and
// loops on the lanes that have not ended: a lane does what it would do alone,
// and no more. Every lane draws random numbers of its own. Changing state from
// inside is refused.
//
// Works in graphs, in captured functions and imperatively; there the code is
// recorded once for each signature, as sl::function does. report() says which
// ops had to run lane by lane. Copies share what was recorded; calls from
// several threads take turns.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "sluice/eager/tensor.h"
#include "sluice/front/function.h"

namespace sluice {

// As an axis: the argument is the same for all lanes.
inline constexpr int unbatched = std::numeric_limits<int>::min();

struct VmapOptions {
  // Where the lanes of each argument are and where those of each result go,
  // negative from the end. None: axis 0 of all; one: that of all.
  std::vector<int> in_axes{};
  std::vector<int> out_axes{};
  std::string name = "vmap";
};

struct VmapReport {
  int64_t together = 0;      // ops that run on all lanes at once
  int64_t single = 0;        // ops that are the same for all lanes
  int64_t lane_by_lane = 0;  // ops that run on one lane after the other
  // "Unique at model.cc:12", one line for each of those.
  std::vector<std::string> slow_ops;
  std::string ToString() const;
};

namespace front_internal {

class VmapCore {
 public:
  VmapCore(FunctionBody one, VmapOptions options);
  ~VmapCore();
  std::vector<Tensor> Call(const std::vector<Tensor>& args,
                           std::source_location where);
  VmapReport report() const;
  std::vector<TraceInfo> traces() const;
  std::string Explain(const std::vector<Tensor>& args);

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::unique_ptr<FunctionCore> core_;
};

}  // namespace front_internal

// What vmap() gives: a function of N tensors that returns R.
template <class R, class... Args>
class Vmapped {
 public:
  using Where = std::source_location;

  Vmapped(std::function<R(Args...)> f, VmapOptions options)
      : core_(std::make_shared<front_internal::VmapCore>(
            [f = std::move(f)](const std::vector<Tensor>& args) {
              return Invoke(f, args, std::index_sequence_for<Args...>());
            },
            std::move(options))) {}

  R operator()(std::type_identity_t<Args>... args,
               Where where = Where::current()) const {
    return front_internal::Pack<R>::Back(core_->Call({Tensor(args)...}, where));
  }
  // Of the call recorded last.
  VmapReport report() const { return core_->report(); }
  std::vector<TraceInfo> traces() const { return core_->traces(); }
  std::string explain(std::type_identity_t<Args>... args) const {
    return core_->Explain({Tensor(args)...});
  }

 private:
  template <size_t... I>
  static std::vector<Tensor> Invoke(const std::function<R(Args...)>& f,
                                    const std::vector<Tensor>& args,
                                    std::index_sequence<I...>) {
    return front_internal::Pack<R>::List(f(args[I]...));
  }

  std::shared_ptr<front_internal::VmapCore> core_;
};

// The same of a list of tensors, of any length.
template <class R>
class Vmapped<R, std::vector<Tensor>> {
 public:
  using Where = std::source_location;
  using List = std::vector<Tensor>;

  Vmapped(std::function<R(const List&)> f, VmapOptions options)
      : core_(std::make_shared<front_internal::VmapCore>(
            [f = std::move(f)](const List& args) {
              return front_internal::Pack<R>::List(f(args));
            },
            std::move(options))) {}

  R operator()(const List& args, Where where = Where::current()) const {
    return front_internal::Pack<R>::Back(core_->Call(args, where));
  }
  VmapReport report() const { return core_->report(); }
  std::vector<TraceInfo> traces() const { return core_->traces(); }
  std::string explain(const List& args) const { return core_->Explain(args); }

 private:
  std::shared_ptr<front_internal::VmapCore> core_;
};

namespace front_internal {
template <class R, class... Args>
auto MakeVmapped(std::function<R(Args...)> f, VmapOptions options) {
  return Vmapped<R, std::decay_t<Args>...>(std::move(f), std::move(options));
}
}  // namespace front_internal

template <class F>
auto vmap(F f, VmapOptions options = {}) {
  return front_internal::MakeVmapped(std::function(std::move(f)),
                                     std::move(options));
}

// Which ops of the call recorded last run lane by lane, and how many do not.
template <class R, class... Args>
VmapReport vmap_report(const Vmapped<R, Args...>& f) {
  return f.report();
}

}  // namespace sluice
