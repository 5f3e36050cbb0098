// Every kernel for GPUs against the CPU's, over the ops' samples: on the
// emulated GPU under CTest, which sets SLUICE_CUDA_EMULATION, and on a real one
// without it. SLUICE_FULL=1: all types.
//
// Not under sanitizers: they see nothing of kernels, and all takes long.
//
// What ran in the emulation is then compiled for a GPU, which needs none.
#include "tests/cuda_sweep.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <thread>

#if defined(SLUICE_CUDA)
#include "sluice/base/strings.h"
#include "sluice/device/cuda/emulated/driver_table.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/nvrtc.h"
#endif

namespace sluice {
namespace {

bool Full() {
  const char* full = std::getenv("SLUICE_FULL");
  return full && std::string_view(full) == "1";
}

const Result<CudaSweepReport>& TheReport() {
  static const auto& report = *new Result<CudaSweepReport>([] {
    CudaSweepOptions options;
    options.all_types = Full();
    return SweepCudaKernels(options);
  }());
  return report;
}

TEST(CudaSweep, KernelsGiveWhatTheCpuGives) {
  const Result<CudaSweepReport>& report = TheReport();
  if (!report.ok() && report.status().code() == Code::kUnavailable) {
    GTEST_SKIP() << report.status().message();
  }
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  std::printf("%s\n", report->Summary().c_str());
  // Kernels are registered from files of their own: a linker that drops them
  // would leave nothing to try.
  EXPECT_GT(report->ops, 200);
  EXPECT_GT(report->calls, 5 * report->ops);
  EXPECT_GT(report->refused, 0);
  for (const std::string& failure : report->failures) {
    ADD_FAILURE() << failure;
  }
}

#if defined(SLUICE_CUDA)

constexpr int kArchitecture = 90;
constexpr int kRegisters = 65536;  // that a block shares
constexpr int kUnit = 8;           // a thread gets a multiple of it

// What the assembler says of each kernel: "... entry function 'sum' ...",
// A few registers saved once cost nothing that can be measured; loops that
// spill spill more.
constexpr int kMostSpilled = 16;  // bytes

// "... 0 bytes spill stores, 0 bytes spill loads", "... Used 40 registers".
struct Cost {
  int registers = 0, spilled = 0;
};
std::map<std::string, Cost> CostsIn(std::string_view log) {
  std::map<std::string, Cost> costs;
  std::string name;
  auto number_before = [](std::string_view line, std::string_view words) {
    size_t at = line.find(words);
    if (at == line.npos) return 0;
    size_t begin = at;
    while (begin > 0 && std::isdigit(line[begin - 1])) --begin;
    return std::atoi(std::string(line.substr(begin, at - begin)).c_str());
  };
  while (!log.empty()) {
    size_t end = std::min(log.find('\n'), log.size() - 1) + 1;
    std::string_view line = log.substr(0, end);
    log.remove_prefix(end);
    if (size_t at = line.find("entry function '"); at != line.npos) {
      size_t begin = at + 16;
      name = line.substr(begin, line.find('\'', begin) - begin);
    }
    Cost& cost = costs[name];
    cost.spilled += number_before(line, " bytes spill stores");
    cost.registers =
        std::max(cost.registers, number_before(line, " registers"));
  }
  return costs;
}

// "" when it compiles, fits into the registers of every launch that was seen
// and keeps nothing of them in memory.
std::string ProblemsOf(const LoadedKernels& loaded) {
  Result<CompileResult> compiled =
      CompileWithNvrtc(loaded.source, kArchitecture, true);
  if (!compiled.ok()) {
    return StrCat(loaded.source, "\n", compiled.status().message());
  }
  std::map<std::string, Cost> costs = CostsIn(compiled->log);
  std::string problems;
  for (const auto& [name, threads] : emulated::KernelsOf(loaded.module)) {
    auto it = costs.find(name);
    if (it == costs.end()) {
      return StrCat(name, " is not in what was compiled: ", compiled->log);
    }
    int each = (it->second.registers + kUnit - 1) / kUnit * kUnit;
    if (it->second.spilled > kMostSpilled ||
        each * static_cast<int64_t>(threads) > kRegisters) {
      StrAppend(problems, name, " uses ", it->second.registers,
                " registers and spills ", it->second.spilled,
                " bytes; it is launched with ", threads, " threads\n");
    }
  }
  return problems.empty() ? "" : StrCat(loaded.source, "\n", problems);
}

// A few of each file, and some of the elementwise ops.
std::vector<LoadedKernels> SomeKernels() {
  std::map<std::string, std::vector<LoadedKernels>> by_file;
  for (LoadedKernels& loaded : AllLoadedKernels()) {
    size_t at = loaded.source.rfind("#include \"");
    by_file[loaded.source.substr(at == std::string::npos ? 0 : at, 60)]
        .push_back(std::move(loaded));
  }
  std::vector<LoadedKernels> some;
  for (auto& [file, all] : by_file) {
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.source < b.source; });
    size_t most = file.find("gamma.cuh") != file.npos ? 20 : 2;
    size_t step = Full() ? 1 : (all.size() + most - 1) / most;
    for (size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  }
  return some;
}

TEST(CudaSweep, WhatRanInTheEmulationCompilesForAGpu) {
  if (!emulated::Wanted()) GTEST_SKIP() << "a GPU has compiled it";
  if (Result<CompileResult> any = CompileWithNvrtc("", kArchitecture);
      !any.ok()) {
    GTEST_SKIP() << any.status().message();
  }
  if (!TheReport().ok()) GTEST_SKIP() << TheReport().status().message();
  std::vector<LoadedKernels> kernels = SomeKernels();
  ASSERT_GT(kernels.size(), 20u);
  std::vector<std::string> problems(kernels.size());
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency());
       ++t) {
    threads.emplace_back([&] {
      for (size_t i; (i = next.fetch_add(1)) < kernels.size();) {
        problems[i] = ProblemsOf(kernels[i]);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  std::printf("%zu sources compiled\n", kernels.size());
  for (const std::string& problem : problems) EXPECT_EQ(problem, "");
}

#endif

}  // namespace
}  // namespace sluice
