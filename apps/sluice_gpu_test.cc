// sluice-gpu-test: the kernels of this machine's GPU against those of its CPU,
// over the ops' own samples, and attention at more sizes.
//
//   sluice-gpu-test [--all-types] [--only TEXT] [--threads N] [--print-each]
//                   [--show-declined]
//
// Prints a line for each op that fails and a summary. Exit code: 0 when none
// does, 1 when some do, 2 when there is no GPU.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/cuda_attention_check.h"
#include "tests/cuda_sweep.h"

namespace {

int Usage() {
  std::fprintf(stderr,
               "usage: sluice-gpu-test [--all-types] [--only TEXT] "
               "[--threads N] [--print-each] [--show-declined]\n");
  return 2;
}

bool AttentionFails() {
  auto report = sluice::CheckCudaAttention();
  if (!report.ok()) {
    std::printf("FAILS attention: %s\n", report.status().message().c_str());
    return true;
  }
  for (const std::string& failure : report->failures) {
    std::printf("FAILS attention: %s\n", failure.c_str());
  }
  std::printf("%d calls of attention at larger sizes; %zu fail\n",
              report->cases, report->failures.size());
  return !report->failures.empty();
}

}  // namespace

int main(int argc, char** argv) {
  sluice::CudaSweepOptions options;
  bool show_declined = false;
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (word == "--all-types") {
      options.all_types = true;
    } else if (word == "--print-each") {
      options.print_each = true;
    } else if (word == "--show-declined") {
      show_declined = true;
    } else if (word == "--only" && i + 1 < argc) {
      options.only = argv[++i];
    } else if (word == "--threads" && i + 1 < argc) {
      options.threads = std::atoi(argv[++i]);
    } else {
      return Usage();
    }
  }
  auto report = sluice::SweepCudaKernels(options);
  if (!report.ok()) {
    std::fprintf(stderr, "%s\n", report.status().message().c_str());
    return 2;
  }
  for (const std::string& failure : report->failures) {
    std::printf("FAILS %s\n", failure.c_str());
  }
  for (const std::string& op : report->declined_ops) {
    if (show_declined) std::printf("left to the host: %s\n", op.c_str());
  }
  std::printf("%s\n", report->Summary().c_str());
  bool fails = !report->failures.empty();
  if (std::string_view("AttentionGrad").find(options.only) !=
      std::string_view::npos) {
    fails |= AttentionFails();
  }
  return fails ? 1 : 0;
}
