#include "sluice/front/recursion.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/flow_rules.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/region_draft.h"

namespace sluice::front_internal {

// A function being recorded: what is known of its types so far.
struct RecursionCore::Definition {
  Node* function = nullptr;
  std::vector<ValueType> args;
  std::optional<std::vector<ValueType>> results;
  bool guessed = false;  // a path was left out, or shapes turned out wider
};

RecursionCore::RecursionCore(Code body, std::string name)
    : body_(std::move(body)), name_(std::move(name)) {}
RecursionCore::~RecursionCore() = default;

namespace {

thread_local int running_depth = 0;

// Calls that run at once, counted as those of a graph are.
struct Deeper {
  Deeper() { ++running_depth; }
  ~Deeper() { --running_depth; }
};

// Widens `known` to hold `more`; whether that changed it.
bool Widen(PartialShape& known, const PartialShape& more) {
  PartialShape joined = JoinShapes(known, more);
  if (joined == known) return false;
  known = std::move(joined);
  return true;
}

}  // namespace

std::vector<Tensor> RecursionCore::AddCall(const Definition& definition,
                                           const std::vector<Tensor>& args,
                                           std::source_location where) {
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;
  for (const ValueType& type : *definition.results) {
    dtypes.push_back(type.dtype);
    shapes.push_back(type.shape);
  }
  Graph& graph = *Building::Current().graph;
  std::vector<Operand> operands{
      Operand(Tensor(graph, definition.function->output()), where)};
  for (const Tensor& t : args) operands.emplace_back(t, where);
  Attrs attrs{{"dtypes", dtypes}, {"shapes", shapes}};
  Operation call = AddNode({.op = "Call",
                            .inputs = operands,
                            .attrs = &attrs,
                            .hint = name_,
                            .line = SourceLine::From(where)});
  std::vector<Tensor> results;
  for (int i = 0; i < call.num_outputs(); ++i) {
    results.push_back(call.output(i));
  }
  return results;
}

Operation RecursionCore::Define(const std::vector<Tensor>& args,
                                Definition& definition,
                                std::source_location where) {
  for (const Tensor& t : args) {
    definition.args.push_back({t.dtype(), t.shape()});
  }
  for (;;) {
    definition.guessed = !definition.results;
    RegionDraft draft("Function", {}, {}, StrCat(name_, "_function"), where);
    definition.function = &draft.node();
    CodeResult result;
    open_.push_back(&definition);
    try {
      Capture::DrawsApart apart(Capture::Open());
      RecordedRegion recorded =
          RecordRegion(draft, {"body", definition.args, body_, name_, where});
      if (!recorded.written.empty()) {
        Refuse(name_,
               "the function writes a tensor around it in place; wanted what "
               "it changes returned",
               where);
      }
      result = std::move(recorded.code);
    } catch (const UnknownResults&) {
      open_.pop_back();
      throw Error(
          InvalidArgument(StrCat("[", name_,
                                 "] calls itself on every path; wanted one "
                                 "that returns without"))
              .WithLine(StrCat("at ", SourceLine::From(where))));
    } catch (...) {
      open_.pop_back();
      throw;
    }
    open_.pop_back();
    if (!definition.results) {
      definition.results.emplace();
      for (const Tensor& t : result.tensors) {
        definition.results->push_back({t.dtype(), t.shape()});
      }
    } else {
      for (size_t i = 0; i < result.tensors.size(); ++i) {
        ValueType& known = (*definition.results)[i];
        if (Widen(known.shape, result.tensors[i].shape())) {
          definition.guessed = true;
        }
      }
    }
    if (!definition.guessed) return draft.Keep();
  }
}

std::vector<Tensor> RecursionCore::Call(const std::vector<Tensor>& args,
                                        std::source_location where) {
  for (const Tensor& t : args) {
    if (t.defined()) continue;
    throw Error(
        InvalidArgument(
            StrCat("[", name_, "] an argument is a Tensor that holds nothing"))
            .WithLine(StrCat("at ", SourceLine::From(where))));
  }
  if (RunsNow(args)) {
    if (running_depth >= kMaxCallsOnStack) {
      throw Error(CallsTooDeep(name_, kMaxCallsOnStack)
                      .WithLine(StrCat("at ", SourceLine::From(where))));
    }
    Deeper deeper;
    return body_(args).tensors;
  }
  if (open_.empty()) {
    Definition definition;
    SavedBuilding saved;
    for (const Tensor& t : args) {
      // Without an open scope the arguments say which graph it is.
      if (!Building::Current().graph && t.symbolic()) {
        Building::Current().graph = &t.graph();
      }
    }
    Define(args, definition, where);
    return AddCall(definition, args, where);
  }
  Definition& definition = *open_.back();
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].dtype() != definition.args[i].dtype) {
      throw Error(
          InvalidArgument(StrCat("[", name_, "] is called with ",
                                 DTypeName(args[i].dtype()), " for argument ",
                                 i, " inside itself; wanted ",
                                 DTypeName(definition.args[i].dtype),
                                 ", as outside"))
              .WithLine(StrCat("at ", SourceLine::From(where))));
    }
    if (Widen(definition.args[i].shape, args[i].shape())) {
      definition.guessed = true;
    }
  }
  if (!definition.results) throw UnknownResults();
  return AddCall(definition, args, where);
}

}  // namespace sluice::front_internal
