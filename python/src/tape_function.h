// Python functions kept by the tape: hooks, backward functions of custom
// gradients, functions that checkpoints run again. Each has its own type, so
// that tape_garbage.cc can find the Python object in a std::function.
//
// Called and copied on any thread.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "callback.h"
#include "sluice/front/autograd.h"

namespace sluice::py {

class TapeFunction {
 public:
  explicit TapeFunction(nb::handle f) : call_(f) { ++count_; }
  TapeFunction(const TapeFunction& other) : call_(other.call_) { ++count_; }
  TapeFunction& operator=(const TapeFunction&) = delete;
  ~TapeFunction() { --count_; }

  // Whether any exists.
  static bool Any() { return count_ > 0; }
  // The Python function, borrowed; null if another copy shares it.
  PyObject* sole() const {
    return call_.sole() ? call_.object().ptr() : nullptr;
  }

 protected:
  Callback call_;

 private:
  static inline std::atomic<int64_t> count_ = 0;
};

// hook(gradient) -> a new gradient or None.
struct HookFunction : TapeFunction {
  using TapeFunction::TapeFunction;
  Tensor operator()(const Tensor& gradient) const;
};

// backward(inputs, results, grads) -> one gradient or None per input.
struct BackwardFunction : TapeFunction {
  using TapeFunction::TapeFunction;
  std::vector<Tensor> operator()(const std::vector<Tensor>& inputs,
                                 const std::vector<Tensor>& results,
                                 const std::vector<Tensor>& grads) const;
};

// f(list of tensors) -> iterable of tensors; `what` names that in messages.
struct ListFunction : TapeFunction {
  ListFunction(nb::handle f, std::string_view named)
      : TapeFunction(f), what(named) {}
  std::vector<Tensor> operator()(const std::vector<Tensor>& xs) const;
  std::string what;
};

}  // namespace sluice::py
