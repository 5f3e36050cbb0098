// What a module and those below it hold, by name.
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/eager/operand.h"
#include "sluice/nn/module_walk.h"

namespace sluice::nn {

namespace {

// Tensors of every module, each once.
template <class Of>
Module::NamedTensors Collect(const Module& root, Of of) {
  Module::NamedTensors all;
  std::unordered_set<const EagerValue*> seen;
  ModuleWalk::Modules(const_cast<Module&>(root), /*once=*/true,
                      [&](const std::string& prefix, Module& m) {
                        for (const auto& e : of(m)) {
                          if (!seen.insert(e.tensor.eager().get()).second)
                            continue;
                          all.emplace_back(prefix + e.name, e.tensor);
                        }
                      });
  return all;
}

std::vector<Tensor> WithoutNames(const Module::NamedTensors& named) {
  std::vector<Tensor> all;
  for (const auto& [name, tensor] : named) all.push_back(tensor);
  return all;
}

}  // namespace

Module::NamedTensors Module::named_parameters() const {
  return Collect(*this, ModuleWalk::Parameters);
}
Module::NamedTensors Module::named_buffers() const {
  return Collect(*this, ModuleWalk::Buffers);
}
std::vector<Tensor> Module::parameters() const {
  return WithoutNames(named_parameters());
}
std::vector<Tensor> Module::buffers() const {
  return WithoutNames(named_buffers());
}

int64_t Module::num_parameters() const {
  int64_t count = 0;
  for (const Tensor& p : parameters()) count += p.num_elements();
  return count;
}

Module::NamedModules Module::named_modules() {
  NamedModules all;
  ModuleWalk::Modules(*this, /*once=*/true,
                      [&](const std::string& prefix, Module& m) {
                        std::string name = prefix;
                        if (!name.empty()) name.pop_back();
                        all.emplace_back(std::move(name), &m);
                      });
  return all;
}

std::vector<Module*> Module::modules() {
  std::vector<Module*> all;
  ModuleWalk::Modules(
      *this, true, [&](const std::string&, Module& m) { all.push_back(&m); });
  return all;
}

StateDict Module::state_dict() const {
  StateDict state;
  // Shared ones under all their names, as files have them.
  ModuleWalk::Modules(const_cast<Module&>(*this), /*once=*/false,
                      [&](const std::string& prefix, Module& m) {
                        for (const Entry& e : m.parameters_) {
                          state.set(prefix + e.name, e.tensor);
                        }
                        for (const Entry& e : m.buffers_) {
                          if (e.persistent)
                            state.set(prefix + e.name, e.tensor);
                        }
                      });
  return state;
}

io::KeyReport Module::load_state_dict(const StateDict& state,
                                      const io::LoadOptions& options) {
  try {
    return io::load_into(state_dict(), state, options);
  } catch (const Error& e) {
    throw Error(
        Status(e.code(), StrCat(type_name(),
                                ": the state is of another model; nothing was "
                                "loaded\n",
                                e.what())));
  }
}

}  // namespace sluice::nn
