// CallFrame: a module that is being called, for the time of the call. Errors
// that pass through get the module's path, nodes made in graphs its name.
//
// One list per thread, on the stack.
#pragma once

#include <functional>
#include <memory>
#include <source_location>

#include "sluice/base/error.h"
#include "sluice/eager/tensor.h"

namespace sluice::nn {

class Module;

// An error that has a module's path already.
class ModuleError : public Error {
 public:
  using Error::Error;
};

class CallFrame {
 public:
  CallFrame(const Module& module, std::source_location where);
  ~CallFrame();
  CallFrame(const CallFrame&) = delete;
  CallFrame& operator=(const CallFrame&) = delete;

  // The same error with "in fc1 (Linear(784, 100))" below.
  [[noreturn]] void Rethrow(const Error& error) const;
  // Where the innermost call of this module was written.
  static std::source_location LineOf(const Module& module);

  // Told about calls on this thread, for tables of what a model does.
  struct Observer {
    virtual ~Observer() = default;
    virtual void Begin(const Module& module) = 0;
    virtual void Result(const Module& module, const Tensor& result) = 0;
    virtual void End(const Module& module) = 0;
  };
  static Observer*& CurrentObserver();

 private:
  struct Scope;  // names of nodes

  const Module& module_;
  std::source_location where_;
  CallFrame* outer_;
  std::unique_ptr<Scope> scope_;
};

}  // namespace sluice::nn
