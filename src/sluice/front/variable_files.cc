#include "sluice/front/variable_files.h"

#include <algorithm>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

using front_internal::AddNode;

namespace {

struct Chosen {
  Node* handle;
  std::string name;  // in the file
  Attrs type() const {
    return {{"dtype", handle->attrs().get<DType>("dtype")},
            {"shape", handle->attrs().get<PartialShape>("shape")}};
  }
};

std::vector<Chosen> Choose(Graph& graph, const VariableFileOptions& options,
                           std::source_location where) {
  std::vector<Chosen> chosen;
  std::vector<std::string> names;
  {
    MutexLock lock(graph.mu());
    for (Node* node : graph.root().nodes()) {
      if (node->op().role != Role::kVariable) continue;
      names.push_back(node->name());
      const auto& only = options.only;
      bool wanted = only.empty() || std::find(only.begin(), only.end(),
                                              node->name()) != only.end();
      if (wanted) chosen.push_back({node, node->name()});
    }
  }
  auto check = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    throw Error(
        NotFound(StrCat("graph \"", graph.name(), "\" has no variable \"",
                        EscapeString(name), "\"; it has ",
                        names.empty() ? "none" : Join(names, ", ")))
            .WithLine(StrCat("at ", SourceLine::From(where))));
  };
  for (const std::string& name : options.only) check(name);
  for (const auto& [name, in_file] : options.rename) {
    check(name);
    for (Chosen& c : chosen) {
      if (c.handle->name() == name) c.name = in_file;
    }
  }
  return chosen;
}

}  // namespace

Operation save_variables(Graph& graph, const Operand& path,
                         const VariableFileOptions& options,
                         std::source_location where) {
  std::vector<Chosen> chosen = Choose(graph, options, where);
  GraphScope building(graph);
  Array names =
      Array::Zeros(DType::kString, {static_cast<int64_t>(chosen.size())});
  std::vector<Operand> operands = {path, Operand(names)};
  for (size_t i = 0; i < chosen.size(); ++i) {
    names.mutable_data<std::string>()[i] = chosen[i].name;
    Operand handle[] = {Tensor(graph, chosen[i].handle->output())};
    operands.push_back(front_internal::CallOne("ReadVariable", handle,
                                               chosen[i].type(), {}, where));
  }
  const Attrs none;
  return AddNode({.op = "Save",
                  .inputs = operands,
                  .attrs = &none,
                  .hint = "save_variables",
                  .line = SourceLine::From(where)});
}

Operation restore_variables(Graph& graph, const Operand& path,
                            const VariableFileOptions& options,
                            std::source_location where) {
  std::vector<Chosen> chosen = Choose(graph, options, where);
  GraphScope building(graph);
  std::vector<Tensor> values;
  std::vector<Operation> read, assigned;
  for (const Chosen& c : chosen) {
    Operand operands[] = {path, c.name};
    values.push_back(
        front_internal::CallOne("Restore", operands, c.type(), {}, where));
    read.push_back(values.back().operation());
  }
  {
    ControlScope after(read);
    for (size_t i = 0; i < chosen.size(); ++i) {
      Operand operands[] = {Tensor(graph, chosen[i].handle->output()),
                            values[i]};
      assigned.push_back(
          front_internal::CallOperation("Assign", operands, {}, {}, where));
    }
  }
  ControlScope after(assigned);
  const Attrs none;
  return AddNode({.op = "NoOp",
                  .attrs = &none,
                  .hint = "restore_variables",
                  .line = SourceLine::From(where)});
}

}  // namespace sluice
