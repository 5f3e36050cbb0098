// What a module and those below it hold, by name.
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/front/grad_mode.h"
#include "sluice/front/operand.h"
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

LoadReport Module::load_state_dict(const StateDict& state,
                                   const LoadOptions& options) {
  LoadReport report;
  StateDict own = state_dict();
  std::vector<std::pair<Tensor, Tensor>> copies;
  for (const auto& [name, target] : own) {
    const Tensor* found = state.find(name);
    if (!found) {
      report.missing.push_back(name);
      continue;
    }
    const Array& from = found->array();
    const Array& to = target.array();
    if (from.dtype() != to.dtype() || !(from.shape() == to.shape())) {
      report.mismatched.push_back({name, from.TypeText(), to.TypeText()});
    } else {
      copies.emplace_back(target, *found);
    }
  }
  for (const auto& [name, tensor] : state) {
    if (!own.contains(name)) report.unexpected.push_back(name);
  }
  if (options.strict && !report.ok()) {
    throw Error(InvalidArgument(StrCat(type_name(),
                                       ": the state is of another "
                                       "model; nothing was loaded\n",
                                       report)));
  }
  NoGrad off;
  for (const auto& [target, from] : copies) target.copy_(from);
  return report;
}

std::string LoadReport::ToString() const {
  size_t width = 0;
  for (const auto& n : missing) width = std::max(width, n.size());
  for (const auto& n : unexpected) width = std::max(width, n.size());
  for (const auto& m : mismatched) width = std::max(width, m.name.size());
  std::vector<std::string> lines;
  auto line = [&](std::string_view kind, const std::string& name,
                  const std::string& text) {
    std::string row = StrCat("  ", kind);
    row.append(13 - row.size(), ' ');
    row += name;
    if (!text.empty()) {
      row.append(width - name.size() + 2, ' ');
      row += text;
    }
    lines.push_back(std::move(row));
  };
  for (const auto& n : missing) line("missing", n, "");
  for (const auto& n : unexpected) line("unexpected", n, "");
  for (const auto& m : mismatched) {
    line("mismatched", m.name, StrCat("got ", m.got, ", wanted ", m.wanted));
  }
  return lines.empty() ? "  nothing differs" : Join(lines, "\n");
}

}  // namespace sluice::nn
