// sluice graph: reads a graph in text form, checks it, and prints it.
#include <cstdio>
#include <optional>

#include "apps/sluice/command.h"
#include "apps/sluice/read_graph.h"
#include "sluice/base/error.h"
#include "sluice/device/devices.h"
#include "sluice/device/sim/sim_device.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"
#include "sluice/op/resource.h"
#include "sluice/passes/pipeline.h"
#include "sluice/plan/lower_control_flow.h"
#include "sluice/plan/memory_forecast.h"
#include "sluice/plan/plan.h"
#include "sluice/session/place_locally.h"

namespace sluice::app {

const char kGraphUsage[] =
    "usage: sluice graph FILE [--optimize] "
    "[--lower | --plan | --memory | --place] [--plain] [--quiet]\n"
    "  Parses and verifies the graph in FILE (- for standard input) and prints "
    "it.\n"
    "  --optimize  run the passes first\n"
    "  --lower     loops, branches and calls as the token machine's "
    "primitives\n"
    "  --plan      print the plan of a run: islands, tapes, bytecode\n"
    "  --executor  auto, tape or tokens: what the plan is made for\n"
    "  --memory    print the most bytes that are live at once, by device and "
    "line\n"
    "  --trips N   with --memory: iterations of loops whose number is not "
    "known "
    "(100)\n"
    "  --place     print the device of each node, what it asked for and why\n"
    "  --search    with --place: nodes that ask for none go where a run is "
    "predicted to end earliest\n"
    "  --cpus N, --sims N  with --place: so many CPU devices (1) and simulated "
    "accelerators (0)\n"
    "  --plain     leave out types and source lines\n"
    "  --quiet     print nothing: the exit code says whether it is sound\n";

namespace {

ExecutorChoice ChoiceOf(const std::string& name) {
  if (name.empty() || name == "auto") return ExecutorChoice::kAuto;
  if (name == "tape") return ExecutorChoice::kTape;
  if (name == "tokens") return ExecutorChoice::kTokens;
  throw UsageError("--executor wants auto, tape or tokens, got \"" + name +
                   "\"");
}

std::optional<int64_t> TripsOf(Arguments& arguments) {
  int64_t trips = arguments.number("--trips", 0, 1, int64_t{1} << 40);
  return trips == 0 ? std::nullopt : std::optional(trips);
}

std::string PlanText(std::unique_ptr<Graph> graph, ExecutorChoice executor) {
  ResourceManager resources;
  PlanOptions options;
  options.executor = executor;
  options.resources = &resources;
  return ValueOrThrow(Plan::Build(std::move(graph), options))->Explain();
}

struct PlaceFlags {
  bool place = false, search = false;
  int64_t cpus = 0, sims = 0;
};

PlaceFlags PlaceFlagsOf(Arguments& arguments) {
  PlaceFlags flags;
  flags.place = arguments.flag("--place");
  flags.search = arguments.flag("--search");
  flags.cpus = arguments.number("--cpus", 0, 1, kMaxCpuDevices);
  flags.sims = arguments.number("--sims", 0, 1, kMaxSimDevices);
  if (!flags.place && (flags.search || flags.cpus > 0 || flags.sims > 0)) {
    throw UsageError("--search, --cpus and --sims want --place");
  }
  return flags;
}

std::string PlacesText(Graph& graph, const PlaceFlags& flags) {
  if (flags.cpus > 0) {
    ThrowIfError(Devices::AddCpus(static_cast<int>(flags.cpus)));
  }
  if (flags.sims > 0) {
    ThrowIfError(AddSimDevices(static_cast<int>(flags.sims)).status());
  }
  LocalPlacement placement;
  placement.search = flags.search;
  return ValueOrThrow(PlaceLocally(graph, {}, placement)).Explain();
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
  bool memory = arguments.flag("--memory");
  std::optional<int64_t> trips = TripsOf(arguments);
  PlaceFlags places = PlaceFlagsOf(arguments);
  std::string executor = arguments.text("--executor", "");
  std::optional<std::string> file = arguments.word();
  arguments.finish();
  if (!file) throw UsageError("no file given");
  if (lower && plan) throw UsageError("--lower and --plan are two things");
  if (memory && (lower || plan)) {
    throw UsageError("--memory and --lower or --plan are two things");
  }
  if (places.place && (lower || plan || memory)) {
    throw UsageError("--place and --lower, --plan or --memory are two things");
  }
  if (trips && !memory) throw UsageError("--trips wants --memory");
  if (!plan && !executor.empty()) throw UsageError("--executor wants --plan");
  ExecutorChoice choice = ChoiceOf(executor);

  std::unique_ptr<Graph> graph = ReadGraph(*file);
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
  if (memory) {
    MemoryForecast forecast = ValueOrThrow(ForecastMemory(*graph));
    std::fputs(forecast.ToString(trips.value_or(100)).c_str(), stdout);
    return kDone;
  }
  if (places.place) {
    std::fputs(PlacesText(*graph, places).c_str(), stdout);
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
