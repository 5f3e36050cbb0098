// sluice trace: runs a graph from a file once and writes when what ran where.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>

#include "apps/sluice/command.h"
#include "apps/sluice/read_graph.h"
#include "sluice/base/error.h"
#include "sluice/base/random.h"
#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/device/sim/sim_device.h"
#include "sluice/session/local_master.h"
#include "sluice/sluice.h"

namespace sluice::app {

const char kTraceUsage[] =
    "usage: sluice trace FILE [--out trace.json] [--sims N] [--cpus N] "
    "[--set NAME=NUMBER]... [--dim N]\n"
    "  Runs the graph in FILE (- for standard input) and writes a timeline "
    "that\n"
    "  https://ui.perfetto.dev and chrome://tracing open: devices, streams, "
    "iterations\n"
    "  of loops, copies. The graph's nodes say where they run: on "
    "\"/device:sim:0\".\n"
    "  --out   the file to write (trace.json)\n"
    "  --sims  simulated devices, which keep virtual time (0)\n"
    "  --cpus  CPU devices\n"
    "  --set   fills the argument NAME with a number; others get random ones\n"
    "  --dim   sizes that the graph does not say (8)\n";

namespace {

std::map<std::string, double> Settings(Arguments& arguments) {
  std::map<std::string, double> settings;
  for (;;) {
    std::string word = arguments.text("--set", "");
    if (word.empty()) return settings;
    size_t at = word.find('=');
    char* end = nullptr;
    std::string number = at == word.npos ? "" : word.substr(at + 1);
    double value = std::strtod(number.c_str(), &end);
    if (number.empty() || *end != '\0') {
      throw UsageError("--set wants NAME=NUMBER, got \"" + word + "\"");
    }
    settings[word.substr(0, at)] = value;
  }
}

// What an argument is fed with: the number that was set, or some of [-1, 1);
// whole numbers are small ones from 0 on.
Array FedWith(const Region& root, int i,
              const std::map<std::string, double>& settings, int64_t dim) {
  const ValueType type = root.arg(i).type();
  const std::string& name = root.arg_name(i);
  if (!IsPlainData(type.dtype) || !type.shape.rank_known()) {
    throw Error(InvalidArgument(
        StrCat("argument \"", name, "\" is ", type.ToString(),
               "; wanted numbers of a known rank, to make some up")));
  }
  std::vector<int64_t> dims;
  for (int64_t d : type.shape.dims()) dims.push_back(d < 0 ? dim : d);
  Array wide = Array::Zeros(DType::kF64, ValueOrThrow(Shape::Make(dims)));
  auto set = settings.find(name);
  for (int64_t k = 0; k < wide.num_elements(); ++k) {
    auto place = static_cast<uint64_t>(i) << 40 | static_cast<uint64_t>(k);
    double value = std::ldexp(RandomKey::Mix(place) >> 11, -52) - 1;
    if (!IsFloating(type.dtype)) value = std::floor(4 * (value + 1));
    wide.mutable_data<double>()[k] =
        set == settings.end() ? value : set->second;
  }
  return cast(constant(wide), type.dtype).array();
}

void AddDevices(int64_t sims, int64_t cpus) {
  if (sims > 0) {
    ValueOrThrow(AddSimDevices(static_cast<int>(sims)));
  }
  if (cpus > 1) ThrowIfError(Devices::AddCpus(static_cast<int>(cpus)));
}

// How busy each stream was, and how much was copied.
void PrintSummary(const RunMetadata& metadata) {
  struct Use {
    double seconds = 0;
    int64_t pieces = 0, copied = 0;
  };
  std::map<std::string, Use> uses;
  double first = INFINITY, last = 0;
  for (const TimelineItem& item : metadata.stats.device_work) {
    Use& use = uses[StrCat(item.device, " ", item.stream)];
    use.seconds += item.end - item.start;
    ++use.pieces;
    if (item.label.starts_with("copy")) use.copied += item.bytes;
    first = std::min(first, item.start);
    last = std::max(last, item.end);
  }
  std::printf("%zu operations on the host\n", metadata.rows.size());
  for (const auto& [name, use] : uses) {
    std::printf("%s: %lld pieces of work, busy %.3g of %.3g ms", name.c_str(),
                static_cast<long long>(use.pieces), use.seconds * 1e3,
                (last - first) * 1e3);
    if (use.copied) std::printf(", %s copied", HumanBytes(use.copied).c_str());
    std::printf("\n");
  }
}

}  // namespace

int RunTrace(Arguments arguments) {
  if (arguments.flag("--help") || arguments.flag("-h")) {
    std::fputs(kTraceUsage, stdout);
    return kDone;
  }
  std::string out = arguments.text("--out", "trace.json");
  int64_t sims = arguments.number("--sims", 0, 0, kMaxSimDevices);
  int64_t cpus = arguments.number("--cpus", 1, 1, kMaxCpuDevices);
  int64_t dim = arguments.number("--dim", 8, 1, 1 << 20);
  std::map<std::string, double> settings = Settings(arguments);
  std::optional<std::string> file = arguments.word();
  arguments.finish();
  if (!file) throw UsageError("no file given");

  std::unique_ptr<Graph> graph = ReadGraph(*file);
  AddDevices(sims, cpus);
  const Region& root = graph->root();
  FeedList feeds;
  for (int i = 0; i < root.num_args(); ++i) {
    feeds.emplace_back(root.arg(i), FedWith(root, i, settings, dim));
    settings.erase(root.arg_name(i));
  }
  if (!settings.empty()) {
    throw UsageError("the graph has no argument \"" + settings.begin()->first +
                     "\"");
  }
  std::vector<Value> fetches(root.results().begin(), root.results().end());
  std::vector<Node*> targets(root.targets().begin(), root.targets().end());
  LocalMaster master(*graph);
  RunOptions options;
  // Once to make the plan, and once to look at.
  ValueOrThrow(master.Run(fetches, feeds, targets, options));
  options.trace = true;
  RunMetadata metadata;
  ValueOrThrow(master.Run(fetches, feeds, targets, options, &metadata));
  std::ofstream stream(out, std::ios::binary);
  stream << metadata.chrome_trace;
  if (!stream.flush()) throw Error(DataLoss(StrCat("cannot write ", out)));
  PrintSummary(metadata);
  std::printf("%s: open it in https://ui.perfetto.dev\n", out.c_str());
  return kDone;
}

}  // namespace sluice::app
