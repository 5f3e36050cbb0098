// sluice graph: reads a graph in text form, checks it, and prints it.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "apps/sluice/command.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"
#include "sluice/op/resource.h"
#include "sluice/passes/pipeline.h"
#include "sluice/plan/lower_control_flow.h"
#include "sluice/plan/plan.h"

namespace sluice::app {

const char kGraphUsage[] =
    "usage: sluice graph FILE [--optimize] [--lower | --plan] [--plain] "
    "[--quiet]\n"
    "  Parses and verifies the graph in FILE (- for standard input) and prints "
    "it.\n"
    "  --optimize  run the passes first\n"
    "  --lower     loops, branches and calls as the token machine's "
    "primitives\n"
    "  --plan      print the plan of a run: islands, tapes, bytecode\n"
    "  --executor  auto, tape or tokens: what the plan is made for\n"
    "  --plain     leave out types and source lines\n"
    "  --quiet     print nothing: the exit code says whether it is sound\n";

namespace {

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(NotFound(StrCat("cannot open ", path)));
  text << in.rdbuf();
  if (in.bad()) throw Error(DataLoss(StrCat("cannot read ", path)));
  return text.str();
}

ExecutorChoice ChoiceOf(const std::string& name) {
  if (name.empty() || name == "auto") return ExecutorChoice::kAuto;
  if (name == "tape") return ExecutorChoice::kTape;
  if (name == "tokens") return ExecutorChoice::kTokens;
  throw UsageError("--executor wants auto, tape or tokens, got \"" + name +
                   "\"");
}

std::string PlanText(std::unique_ptr<Graph> graph, ExecutorChoice executor) {
  ResourceManager resources;
  PlanOptions options;
  options.executor = executor;
  options.resources = &resources;
  return ValueOrThrow(Plan::Build(std::move(graph), options))->Explain();
}

}  // namespace

int RunGraph(Arguments arguments) {
  if (arguments.flag("--help") || arguments.flag("-h")) {
    std::fputs(kGraphUsage, stdout);
    return kDone;
  }
  bool optimize = arguments.flag("--optimize");
  bool plain = arguments.flag("--plain");
  bool quiet = arguments.flag("--quiet");
  bool lower = arguments.flag("--lower");
  bool plan = arguments.flag("--plan");
  std::string executor = arguments.text("--executor", "");
  std::optional<std::string> file = arguments.word();
  arguments.finish();
  if (!file) throw UsageError("no file given");
  if (lower && plan) throw UsageError("--lower and --plan are two things");
  if (!plan && !executor.empty()) throw UsageError("--executor wants --plan");
  ExecutorChoice choice = ChoiceOf(executor);

  std::unique_ptr<Graph> graph = ValueOrThrow(ParseGraph(ReadFile(*file)));
  ThrowIfError(Verify(*graph));
  if (optimize) {
    PassReport report = ValueOrThrow(RunPipeline(*graph));
    ThrowIfError(Verify(*graph));
    if (!quiet) std::fputs(report.ToString().c_str(), stderr);
  }
  if (quiet) return kDone;
  if (plan) {
    std::fputs(PlanText(std::move(graph), choice).c_str(), stdout);
    return kDone;
  }
  Lowered lowered;
  if (lower) {
    lowered = ValueOrThrow(LowerControlFlow(
        *graph, [](const Node&) { return std::string("asked for"); }));
  }
  PrintOptions options;
  options.types = options.lines = !plain;
  const Graph& shown = lower ? *lowered.graph : *graph;
  std::fputs(PrintGraph(shown, options).c_str(), stdout);
  return kDone;
}

}  // namespace sluice::app
