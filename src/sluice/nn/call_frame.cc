#include "sluice/nn/call_frame.h"

#include <algorithm>
#include <optional>

#include "sluice/base/strings.h"
#include "sluice/base/thread_owned.h"
#include "sluice/eager/scope.h"
#include "sluice/nn/module.h"

namespace sluice::nn {

namespace {

// Of one thread.
struct Open {
  CallFrame* innermost = nullptr;
  CallFrame::Observer* observer = nullptr;
};

CallFrame*& Innermost() { return ThreadOwned<Open>::Get().innermost; }

// The path below that of the module around it, as part of a node's name.
std::string ScopeName(const Module& module, const Module* outer) {
  std::string path = module.path();
  if (outer) {
    std::string above = outer->path();
    if (!above.empty() && path.starts_with(above + ".")) {
      path.erase(0, above.size() + 1);
    }
  }
  std::replace(path.begin(), path.end(), '.', '/');
  return path;
}

}  // namespace

struct CallFrame::Scope {
  std::optional<NameScope> names;
};

CallFrame::CallFrame(const Module& module, std::source_location where)
    : module_(module), where_(where), outer_(Innermost()) {
  if (front_internal::Building::Current().graph) {
    std::string name = ScopeName(module, outer_ ? &outer_->module_ : nullptr);
    if (!name.empty()) {
      scope_ = std::make_unique<Scope>();
      scope_->names.emplace(name);
    }
  }
  Innermost() = this;
  if (Observer* observer = CurrentObserver()) observer->Begin(module);
}

CallFrame::~CallFrame() {
  if (Observer* observer = CurrentObserver()) observer->End(module_);
  Innermost() = outer_;
}

void CallFrame::Rethrow(const Error& error) const {
  std::string path = module_.path();
  std::string text = module_.describe();
  Status status(error.code(), error.what());
  throw ModuleError(
      status.WithLine(path.empty() ? StrCat("in ", text)
                                   : StrCat("in ", path, " (", text, ")")));
}

std::source_location CallFrame::LineOf(const Module& module) {
  for (CallFrame* f = Innermost(); f; f = f->outer_) {
    if (&f->module_ == &module) return f->where_;
  }
  return std::source_location::current();
}

CallFrame::Observer*& CallFrame::CurrentObserver() {
  return ThreadOwned<Open>::Get().observer;
}

}  // namespace sluice::nn
