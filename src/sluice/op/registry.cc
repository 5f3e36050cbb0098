#include "sluice/op/registry.h"

#include <algorithm>
#include <map>
#include <memory>

#include "sluice/base/strings.h"
#include "sluice/base/thread_owned.h"
#include "sluice/op/registry_internal.h"

namespace sluice {

namespace {

struct Registry {
  std::map<std::string, std::unique_ptr<OpRecord>, std::less<>> ops;
  std::vector<std::string> problems;
  std::array<Kernel, kNumDeviceKinds> elementwise;
};

// Created on first use, so that static initializers may run in any order; never
// destroyed, because nodes point into it.
Registry& TheRegistry() {
  static auto* registry = new Registry;
  return *registry;
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      bool same = std::tolower(a[i - 1]) == std::tolower(b[j - 1]);
      row[j] =
          std::min({row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

void CheckRecord(const OpRecord& op, std::vector<std::string>& problems) {
  auto report = [&](std::string_view what) {
    problems.push_back(StrCat(op.name, ": ", what));
  };
  if (op.doc.empty()) {
    report(op.line.known() ? "no doc" : "kernel without a definition");
  }
  if (!op.shape) report("no shape function");
  if (!op.cpu().defined() && !op.block && !op.structural &&
      op.regions.empty()) {
    report("no CPU kernel");
  }
  // Ops with state or effects cannot be tested everywhere, and lists have no
  // numeric reference.
  bool lists = false;
  for (const auto* args : {&op.inputs, &op.outputs}) {
    for (const ArgSpec& arg : *args) lists = lists || arg.type == "list";
  }
  bool sampled = !op.handle && op.effect == Effect::kNone && !op.structural &&
                 !op.stateful && !lists;
  if (sampled && op.samples.empty()) report("no samples");
  auto known_type = [&](const ArgSpec& arg) {
    // Outputs may have the type in which an input's type is computed.
    if (arg.type.starts_with("compute(") && arg.type.ends_with(")")) {
      return op.FindType(arg.type.substr(8, arg.type.size() - 9)) != nullptr;
    }
    return arg.type == "any" || DTypeFromName(arg.type) != DType::kInvalid ||
           op.FindType(arg.type) || op.FindAttr(arg.type);
  };
  for (const auto* args : {&op.inputs, &op.outputs}) {
    for (const ArgSpec& arg : *args) {
      if (!known_type(arg)) report(StrCat("unknown type ", arg.type));
      if (arg.count_attr.empty()) continue;
      const AttrSpec* attr = op.FindAttr(arg.count_attr);
      bool counts = attr && (attr->kind == AttrKind::kInt ||
                             attr->kind == AttrKind::kInts);
      for (const ArgSpec& in : op.inputs) {
        counts = counts || (!attr && in.list && in.name == arg.count_attr);
      }
      if (!counts) report(StrCat("unknown count ", arg.count_attr));
    }
  }
}

}  // namespace

namespace registry_internal {

void AddOp(OpRecord record) {
  auto& slot = TheRegistry().ops[record.name];
  if (slot && slot->line.known()) {
    TheRegistry().problems.push_back(StrCat(record.name, ": defined twice, at ",
                                            slot->line, " and ", record.line));
    return;
  }
  if (slot) {
    // A kernel file was initialised first: keep its kernels.
    for (size_t i = 0; i < record.kernels.size(); ++i) {
      if (slot->kernels[i].defined()) record.kernels[i] = slot->kernels[i];
    }
  }
  slot = std::make_unique<OpRecord>(std::move(record));
  for (size_t i = 0; slot->block && i < slot->kernels.size(); ++i) {
    const Kernel& common = TheRegistry().elementwise[i];
    // The CPU's flags stay, although the CPU has no launch of its own.
    if (common.defined() && !slot->kernels[i].defined()) {
      slot->kernels[i] = common;
    }
  }
}

void AddKernel(std::string_view op, DeviceKind device, Kernel kernel) {
  auto& slot = TheRegistry().ops[std::string(op)];
  if (!slot) {
    slot = std::make_unique<OpRecord>();
    slot->name = op;
  }
  slot->kernels[static_cast<size_t>(device)] = kernel;
}

void AddElementwiseKernel(DeviceKind device, Kernel kernel) {
  auto i = static_cast<size_t>(device);
  TheRegistry().elementwise[i] = kernel;
  for (const auto& [name, record] : TheRegistry().ops) {
    Kernel& own = record->kernels[i];
    if (record->block && !own.defined()) own = kernel;
  }
}

}  // namespace registry_internal

const OpRecord* FindOp(std::string_view name) {
  // Imperative calls look up ops by name every time, mostly with the same
  // string literal: each thread caches the results by address.
  constexpr size_t kPlaces = 512;
  struct Recent {
    const OpRecord* places[kPlaces] = {};
  };
  auto at = reinterpret_cast<uintptr_t>(name.data()) >> 1;
  const OpRecord*& place =
      ThreadOwned<Recent>::Get()
          .places[(at ^ (at >> 9) ^ name.size()) % kPlaces];
  if (place && place->name == name) return place;
  auto& ops = TheRegistry().ops;
  auto it = ops.find(name);
  if (it == ops.end()) return nullptr;
  return place = it->second.get();
}

Result<const OpRecord*> LookupOp(std::string_view name) {
  if (const OpRecord* op = FindOp(name)) return op;
  std::string closest;
  size_t best = std::max<size_t>(2, name.size() / 2);
  for (const auto& [known, record] : TheRegistry().ops) {
    size_t distance = EditDistance(name, known);
    if (distance < best) {
      best = distance;
      closest = known;
    }
  }
  std::string hint;
  if (!closest.empty()) hint = StrCat("; did you mean \"", closest, "\"?");
  return NotFound(
      StrCat("unknown op \"", EscapeString(name.substr(0, 80)), "\"", hint));
}

std::vector<const OpRecord*> AllOps() {
  std::vector<const OpRecord*> all;
  for (const auto& [name, record] : TheRegistry().ops) {
    all.push_back(record.get());
  }
  return all;
}

std::vector<std::string> RegistryProblems() {
  std::vector<std::string> problems = TheRegistry().problems;
  std::map<Role, const OpRecord*> roles;
  for (const OpRecord* op : AllOps()) {
    CheckRecord(*op, problems);
    if (op->role == Role::kNone) continue;
    auto [it, first] = roles.emplace(op->role, op);
    if (first) continue;
    problems.push_back(
        StrCat(op->name, ": has the role of ", it->second->name));
  }
  return problems;
}

}  // namespace sluice
