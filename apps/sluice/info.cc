// sluice info: what this build is; --ops: every op, one a line.
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <thread>

#include "apps/op_pages/ops_markdown.h"
#include "apps/sluice/command.h"
#include "sluice/base/cpu_features.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/front/version.h"
#include "sluice/op/registry.h"
#include "sluice/op/way_on_gpu.h"

namespace sluice::app {

const char kInfoUsage[] =
    "usage: sluice info [--ops [--device gpu] | --ops-markdown | "
    "--internal-ops-markdown]\n"
    "  Version, compiler, machine, processor, number of ops.\n"
    "  --ops           every op, one a line, sorted: its signature and what it "
    "does\n"
    "  --ops --device gpu  every op with how a GPU comes by its result, and "
    "counts\n"
    "  --ops-markdown  the text of docs/ops.md\n"
    "  --internal-ops-markdown  the text of docs/internal_ops.md\n";

namespace {

// A definition's first sentence, on one line.
std::string FirstSentence(const std::string& doc) {
  size_t end = doc.find(". ");
  std::string text = doc.substr(0, end == std::string::npos ? end : end + 1);
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

void PrintBuild() {
#if defined(__clang__)
  std::string compiler = StrCat("clang ", __clang_major__, ".", __clang_minor__,
                                ".", __clang_patchlevel__);
#else
  std::string compiler = StrCat("g++ ", __VERSION__);
#endif
#ifdef NDEBUG
  const char* checks = "release";
#else
  const char* checks = "with debug checks";
#endif
  utsname system{};
  bool known = uname(&system) == 0;
  std::printf("sluice    %s\n", version());
  std::printf("compiler  %s, %s\n", compiler.c_str(), checks);
  std::printf("machine   %s, %u cores\n", known ? system.machine : "unknown",
              std::thread::hardware_concurrency());
  std::printf("cpu       %s (SLUICE_CPU)\n", Cpu().ToString().c_str());
  std::printf("memory    %s\n", HumanBytes(int64_t{sysconf(_SC_PHYS_PAGES)} *
                                           sysconf(_SC_PAGESIZE))
                                    .c_str());
  std::printf("threads   %d (SLUICE_THREADS)\n",
              WorkerPool::Default().parallelism());
  std::printf("ops       %zu (sluice info --ops)\n", AllOps().size());
}

// How each op runs on a GPU; how many do in each way.
void PrintWaysOnGpu() {
  std::array<int, kNumWaysOnGpu> counts{};
  for (const OpRecord* op : AllOps()) {
    WayOnGpu way = WayOf(*op);
    ++counts[static_cast<size_t>(way)];
    std::printf("%-24s %s\n", op->name.c_str(),
                std::string(NameOf(way)).c_str());
  }
  std::printf("\n");
  for (int i = 0; i < kNumWaysOnGpu; ++i) {
    std::printf("%5d  %s\n", counts[static_cast<size_t>(i)],
                std::string(NameOf(static_cast<WayOnGpu>(i))).c_str());
  }
}

}  // namespace

int RunInfo(Arguments arguments) {
  bool help = arguments.flag("--help") || arguments.flag("-h");
  bool ops = arguments.flag("--ops");
  std::string device = arguments.text("--device", "");
  bool markdown = arguments.flag("--ops-markdown");
  bool internal = arguments.flag("--internal-ops-markdown");
  arguments.finish();
  if (help) {
    std::fputs(kInfoUsage, stdout);
  } else if (markdown) {
    std::fputs(OpsMarkdown(AllOps()).c_str(), stdout);
  } else if (internal) {
    std::fputs(InternalOpsMarkdown(AllOps()).c_str(), stdout);
  } else if (!device.empty()) {
    if (!ops || (device != "gpu" && device != "cuda")) {
      throw UsageError(
          StrCat("--device is \"", device, "\"; wanted --ops --device gpu"));
    }
    PrintWaysOnGpu();
  } else if (ops) {
    for (const OpRecord* op : AllOps()) {
      std::printf("%-24s %s  %s\n", op->name.c_str(),
                  op->Signature().substr(op->name.size()).c_str(),
                  FirstSentence(op->doc).c_str());
    }
  } else {
    PrintBuild();
  }
  return kDone;
}

}  // namespace sluice::app
