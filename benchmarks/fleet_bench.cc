// Ranks of this machine beside PyTorch's, with Gloo, in the same run: both have
// two processes, and the two systems take turns (fleet_rank.py).
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>

#include "benchmarks/bench.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/collective/socket.h"

extern char** environ;

namespace sluice::bench {
namespace {

namespace fs = std::filesystem;

// One Python process, asked by lines. Ends with the object.
class Rank {
 public:
  Rank(const std::string& python, const std::string& which, int rank, int ranks,
       int port) {
    int in[2], out[2];
    SL_CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    std::vector<std::string> words = {python,        "benchmarks/fleet_rank.py",
                                      which,         StrCat(rank),
                                      StrCat(ranks), StrCat(port)};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    if (posix_spawnp(&process_, argv[0], &actions, nullptr, argv.data(),
                     environ) != 0) {
      process_ = -1;
    }
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    to_ = fdopen(in[1], "w");
    from_ = fdopen(out[0], "r");
  }
  ~Rank() {
    std::fclose(to_);
    std::fclose(from_);
    if (process_ > 0) waitpid(process_, nullptr, 0);
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  void Tell(const std::string& line) {
    std::fputs((line + "\n").c_str(), to_);
    std::fflush(to_);
  }
  // Empty: it has ended.
  std::string Hear() {
    char line[256];
    if (!std::fgets(line, sizeof(line), from_)) return "";
    return line;
  }

 private:
  pid_t process_ = -1;
  FILE *to_ = nullptr, *from_ = nullptr;
};

// The ranks of one system.
class Ranks {
 public:
  Ranks(const std::string& python, const std::string& which, int ranks) {
    int port = 0;
    {
      // Free now; ranks of Python listen there by themselves.
      collective::Socket probe =
          ValueOrThrow(collective::Listen("127.0.0.1", 0, &port));
    }
    for (int r = 0; r < ranks; ++r) {
      ranks_.push_back(std::make_unique<Rank>(python, which, r, ranks, port));
    }
    for (auto& rank : ranks_) ready_ = ready_ && rank->Hear() == "ready\n";
  }
  bool ready() const { return ready_; }
  // Seconds of the slower one; infinite when it has ended.
  double Ask(const std::string& line) {
    for (auto& rank : ranks_) rank->Tell(line);
    double slowest = 0;
    for (auto& rank : ranks_) {
      std::string answer = rank->Hear();
      slowest = std::max(slowest, answer.empty()
                                      ? std::numeric_limits<double>::infinity()
                                      : std::atof(answer.c_str()));
    }
    return slowest;
  }

 private:
  std::vector<std::unique_ptr<Rank>> ranks_;
  bool ready_ = true;
};

std::string PeerPython() {
  if (const char* named = std::getenv("SLUICE_PEER_PYTHON")) return named;
  return fs::exists("build/peers/bin/python") ? "build/peers/bin/python" : "";
}

// Both systems on one core for each rank.
void Beside(Report& report, const std::string& metric,
            const std::vector<std::pair<std::string, double>>& cases,
            const std::function<std::string(const std::string&)>& line) {
  signal(SIGPIPE, SIG_IGN);
  auto missing = [&](const std::string& why) {
    for (const auto& [name, bar] : cases) {
      report.Missing(metric, why, {{"case", name}}, AtLeast(bar));
    }
  };
  const std::string own = "build/python-env/bin/python", peer = PeerPython();
  if (!fs::exists(own) || !fs::exists("build/release/python/sluice")) {
    return missing("no Python package: `make build`, in the repository");
  }
  if (peer.empty()) return missing("no PyTorch: `make peers` installs it");
  setenv("SLUICE_THREADS", "1", 0);
  setenv("OMP_NUM_THREADS", "1", 0);
  setenv("PYTHONPATH", "build/release/python", 1);
  Ranks ours(own, "sluice", 2);
  unsetenv("PYTHONPATH");
  Ranks theirs(peer, "torch", 2);
  if (!ours.ready()) return missing("our ranks did not start");
  if (!theirs.ready()) return missing("ranks of PyTorch did not start");
  for (const auto& [name, bar] : cases) {
    if (!report.Wants(name)) continue;
    double us = std::numeric_limits<double>::infinity(), them = us;
    for (int i = 0; i < report.rounds; ++i) {
      us = std::min(us, ours.Ask(line(name)));
      them = std::min(them, theirs.Ask(line(name)));
    }
    report.Line(metric, them / us, "x",
                {{"case", name},
                 {"ranks", "2"},
                 {"ours_ms", StrCat(us * 1e3)},
                 {"torch_ms", StrCat(them * 1e3)}},
                AtLeast(bar));
  }
}

}  // namespace

SL_BENCH(fleet, all_reduce, "all_reduce between two ranks, against Gloo") {
  Beside(report, "all_reduce", {{"100", 1.0}, {"10", 0}, {"1", 0}},
         [](const std::string& megabytes) {
           return StrCat("all_reduce ", megabytes, " ",
                         megabytes == "1" ? 50 : 3);
         });
}

SL_BENCH(fleet, vs_ddp, "training on two ranks, against PyTorch's DDP") {
  Beside(
      report, "vs_ddp", {{"mlp", 2.0}, {"lenet", 2.0}, {"wide", 1.0}},
      [](const std::string& model) { return StrCat("ddp ", model, " 3 64"); });
}

SL_BENCH(fleet, two_workers, "two ranks against one on twice the data") {
  const std::vector<std::string> models = {"mlp", "lenet", "wide"};
  auto missing = [&](const std::string& why) {
    for (const std::string& model : models) {
      report.Missing("two_workers", why, {{"case", model}}, AtLeast(1.7));
    }
  };
  const std::string own = "build/python-env/bin/python";
  if (!fs::exists(own) || !fs::exists("build/release/python/sluice")) {
    return missing("no Python package: `make build`, in the repository");
  }
  signal(SIGPIPE, SIG_IGN);
  setenv("SLUICE_THREADS", "1", 0);
  setenv("PYTHONPATH", "build/release/python", 1);
  Ranks one(own, "sluice", 1), two(own, "sluice", 2);
  unsetenv("PYTHONPATH");
  if (!one.ready() || !two.ready()) return missing("ranks did not start");
  for (const std::string& model : models) {
    if (!report.Wants(model)) continue;
    double alone = std::numeric_limits<double>::infinity(), both = alone;
    for (int i = 0; i < report.rounds; ++i) {
      alone = std::min(alone, one.Ask(StrCat("ddp ", model, " 3 128")));
      both = std::min(both, two.Ask(StrCat("ddp ", model, " 3 64")));
    }
    report.Line("two_workers", alone / both, "x",
                {{"case", model},
                 {"one_ms", StrCat(alone * 1e3)},
                 {"two_ms", StrCat(both * 1e3)}},
                AtLeast(1.7));
  }
}

}  // namespace sluice::bench
