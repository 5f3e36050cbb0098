#include "sluice/nn/module.h"

#include <algorithm>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/nn/module_walk.h"
#include "sluice/trace/capture.h"

namespace sluice::nn {

Module::~Module() {
  // Members go before the module that added them, shared modules after it.
  for (Module* parent : parents_) {
    std::erase_if(parent->children_,
                  [&](const Child& c) { return c.module == this; });
  }
  for (Child& child : children_) std::erase(child.module->parents_, this);
}

Tensor Module::forward(Tensor) {
  Fail(StrCat(type_name(), ": it has no forward of one tensor"));
}

Tensor Module::operator()(Tensor x, Where where) {
  return noted(where, [&] { return forward(std::move(x)); });
}

void Module::AfterForward(Tensor& result) {
  // A hook may remove itself or add others.
  if (!hooks_.empty()) {
    for (const auto& [id, hook] : std::vector(hooks_)) {
      if (Tensor other = hook(*this, result); other.defined()) result = other;
    }
  }
  if (CallFrame::Observer* observer = CallFrame::CurrentObserver()) {
    observer->Result(*this, result);
  }
}

void Module::Fail(const std::string& message) const {
  throw Error(InvalidArgument(message).WithLine(
      StrCat("at ", SourceLine::From(line()))));
}

// ---- What it is made of ----

void Module::CheckName(std::string_view name, std::string_view kind) const {
  auto refuse = [&](std::string_view wanted) {
    throw Error(InvalidArgument(StrCat(type_name(), ": the name of a ", kind,
                                       " is \"", name, "\"; wanted ", wanted)));
  };
  if (name.empty()) refuse("a name");
  if (name.find_first_of("./") != name.npos) refuse("one without dots");
}

namespace {

template <class Entries>
bool Has(const Entries& entries, std::string_view name) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const auto& e) { return e.name == name; });
}

}  // namespace

void Module::AddChild(std::string_view name, Module* child,
                      std::shared_ptr<Module> owned) {
  CheckName(name, "module");
  auto refuse = [&](const std::string& what) {
    throw Error(
        InvalidArgument(StrCat(type_name(), ": module \"", name, "\" ", what)));
  };
  if (!child) refuse("is null");
  if (Has(children_, name) || Has(parameters_, name) || Has(buffers_, name)) {
    refuse("is there already; wanted another name");
  }
  for (Module* below : child->modules()) {
    if (below == this) refuse("contains the module it is added to");
  }
  children_.push_back({std::string(name), child, std::move(owned)});
  child->parents_.push_back(this);
}

void Module::add(std::string_view name, Module& child) {
  AddChild(name, &child, nullptr);
}

void Module::AddOwned(std::string_view name, std::shared_ptr<Module> child) {
  Module* module = child.get();
  AddChild(name, module, std::move(child));
}

Tensor Module::add_parameter(std::string_view name, Tensor tensor) {
  CheckName(name, "parameter");
  auto refuse = [&](std::string_view what) {
    throw Error(InvalidArgument(
        StrCat(type_name(), ": parameter \"", name, "\" ", what)));
  };
  if (!tensor.defined()) refuse("holds nothing");
  if (tensor.symbolic()) {
    refuse(
        "is a value of a graph; wanted an imperative tensor: modules are "
        "made outside of graphs and functions");
  }
  if (Has(children_, name) || Has(buffers_, name)) {
    refuse("has the name of a module or a buffer");
  }
  tensor.requires_grad_();
  for (Entry& e : parameters_) {
    if (e.name == name) return e.tensor = tensor;
  }
  parameters_.push_back({std::string(name), tensor});
  return tensor;
}

Tensor Module::add_buffer(std::string_view name, Tensor tensor,
                          bool persistent) {
  CheckName(name, "buffer");
  auto refuse = [&](std::string_view what) {
    throw Error(
        InvalidArgument(StrCat(type_name(), ": buffer \"", name, "\" ", what)));
  };
  if (!tensor.defined()) refuse("holds nothing");
  if (tensor.symbolic()) {
    refuse("is a value of a graph; wanted an imperative tensor");
  }
  if (Has(children_, name) || Has(parameters_, name)) {
    refuse("has the name of a module or a parameter");
  }
  for (Entry& e : buffers_) {
    if (e.name != name) continue;
    e.persistent = persistent;
    return e.tensor = tensor;
  }
  buffers_.push_back({std::string(name), tensor, persistent});
  return tensor;
}

std::vector<Module*> Module::children() const {
  std::vector<Module*> all;
  for (const Child& c : children_) all.push_back(c.module);
  return all;
}

Module& Module::submodule(std::string_view path) {
  Module* at = this;
  for (std::string_view rest = path; !rest.empty();) {
    std::string_view name = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    auto found = std::find_if(at->children_.begin(), at->children_.end(),
                              [&](const Child& c) { return c.name == name; });
    if (found == at->children_.end()) {
      std::vector<std::string> names;
      for (const Child& c : at->children_) names.push_back(c.name);
      throw Error(NotFound(StrCat(type_name(), ": no module \"", path, "\"; ",
                                  at->describe(), " has ",
                                  names.empty() ? "none" : Join(names, ", "))));
    }
    at = found->module;
  }
  return *at;
}

// ---- Modes ----

Module& Module::train(bool training) {
  for (Module* m : modules()) *m->training_ = training ? 1 : 0;
  return *this;
}

bool Module::training() const {
  if (Capture* capture = Capture::Current()) {
    std::string path = this->path();
    capture->Note(training_,
                  StrCat("the mode of ", path, path.empty() ? "" : " ", "(",
                         describe(), ")"));
  }
  return *training_ != 0;
}

Module& Module::requires_grad_(bool wanted) {
  for (const Tensor& p : parameters()) p.requires_grad_(wanted);
  return *this;
}

void Module::zero_grad() {
  for (const Tensor& p : parameters()) p.zero_grad();
}

Module& Module::apply(const std::function<void(Module&)>& f) {
  std::vector<Module*> all = modules();
  // Those below come behind: backwards they come first.
  for (size_t i = all.size(); i-- > 0;) f(*all[i]);
  return *this;
}

// ---- Hooks ----

int Module::register_forward_hook(ForwardHook hook) {
  hooks_.emplace_back(next_hook_, std::move(hook));
  return next_hook_++;
}

void Module::remove_forward_hook(int id) {
  std::erase_if(hooks_, [&](const auto& h) { return h.first == id; });
}

}  // namespace sluice::nn
