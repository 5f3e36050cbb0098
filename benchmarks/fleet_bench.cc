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
  explicit Rank(std::vector<std::string> words) {
    int in[2], out[2];
    SL_CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
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

int FreePort() {
  int port = 0;
  // Free now; ranks of Python listen there by themselves.
  collective::Socket probe =
      ValueOrThrow(collective::Listen("127.0.0.1", 0, &port));
  return port;
}

// Seconds of a call or step; infinite when a rank has ended.
struct Seconds {
  double clock = std::numeric_limits<double>::infinity();
  double computed = clock;  // by all threads of a rank
};
Seconds Fewer(Seconds a, Seconds b) {
  return {std::min(a.clock, b.clock), std::min(a.computed, b.computed)};
}

// The ranks of one system.
class Ranks {
 public:
  Ranks(const std::string& python, const std::string& which, int ranks) {
    const std::string port = StrCat(FreePort());
    for (int r = 0; r < ranks; ++r) {
      Add({python, "benchmarks/fleet_rank.py", which, StrCat(r), StrCat(ranks),
           port});
    }
    WaitForAll();
  }
  // One process that passes on what two of ours are asked, with a network of so
  // many megabits a second between them.
  Ranks(const std::string& python, int megabits) {
    Add({"unshare", "-rn", python, "benchmarks/fleet_link.py", "29500",
         StrCat(megabits)});
    WaitForAll();
  }
  bool ready() const { return ready_; }
  // Those of the slower one.
  Seconds Ask(const std::string& line) {
    for (auto& rank : ranks_) rank->Tell(line);
    Seconds slowest{0, 0};
    for (auto& rank : ranks_) {
      std::string answer = rank->Hear();
      Seconds one;
      if (std::sscanf(answer.c_str(), "%lf %lf", &one.clock, &one.computed) !=
          2) {
        one = {};
      }
      slowest = {std::max(slowest.clock, one.clock),
                 std::max(slowest.computed, one.computed)};
    }
    return slowest;
  }

 private:
  void Add(std::vector<std::string> words) {
    ranks_.push_back(std::make_unique<Rank>(std::move(words)));
  }
  void WaitForAll() {
    for (auto& rank : ranks_) ready_ = ready_ && rank->Hear() == "ready\n";
  }

  std::vector<std::unique_ptr<Rank>> ranks_;
  bool ready_ = true;
};

std::string PeerPython() {
  if (const char* named = std::getenv("SLUICE_PEER_PYTHON")) return named;
  return fs::exists("build/peers/bin/python") ? "build/peers/bin/python" : "";
}

const char* const kOwnPython = "build/python-env/bin/python";

// What our ranks need; empty: all is there.
std::string MissingHere() {
  if (fs::exists(kOwnPython) && fs::exists("build/release/python/sluice")) {
    return "";
  }
  return "no Python package: `make build`, in the repository";
}

// One core each, and so one thread.
void Environment() {
  signal(SIGPIPE, SIG_IGN);
  setenv("SLUICE_THREADS", "1", 0);
  setenv("PYTHONPATH", "build/release/python", 1);
}

// Both systems on one core for each rank.
void Beside(Report& report, const std::string& metric,
            const std::vector<std::pair<std::string, double>>& cases,
            const std::function<std::string(const std::string&)>& line) {
  auto missing = [&](const std::string& why) {
    for (const auto& [name, bar] : cases) {
      report.Missing(metric, why, {{"case", name}}, AtLeast(bar));
    }
  };
  const std::string peer = PeerPython();
  if (std::string why = MissingHere(); !why.empty()) return missing(why);
  if (peer.empty()) return missing("no PyTorch: `make peers` installs it");
  Environment();
  setenv("OMP_NUM_THREADS", "1", 0);
  Ranks ours(kOwnPython, "sluice", 2);
  unsetenv("PYTHONPATH");
  Ranks theirs(peer, "torch", 2);
  if (!ours.ready()) return missing("our ranks did not start");
  if (!theirs.ready()) return missing("ranks of PyTorch did not start");
  for (const auto& [name, bar] : cases) {
    if (!report.Wants(name)) continue;
    double us = std::numeric_limits<double>::infinity(), them = us;
    for (int i = 0; i < report.rounds; ++i) {
      us = std::min(us, ours.Ask(line(name)).clock);
      them = std::min(them, theirs.Ask(line(name)).clock);
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

// Two ranks, each with `batch` examples a step, against one with twice as many:
// the same training. `computed` is the same ratio of what all threads of a
// rank computed: where other programs have the cores, too, what an idle machine
// gives at most.
SL_BENCH(fleet, two_workers, "two ranks against one on twice the data") {
  struct Case {
    std::string model;
    int batch;
    double bar;
  };
  // The batch that the bar is for is one in which gradients do not weigh more
  // than examples; smaller ones show what a step costs by itself.
  const std::vector<Case> cases = {{"mlp", 512, 1.7},       {"gpt", 8, 1.7},
                                   {"embedding", 512, 1.7}, {"mlp", 64, 0},
                                   {"lenet", 64, 0},        {"wide", 64, 0}};
  auto missing = [&](const std::string& why) {
    for (const Case& c : cases) {
      report.Missing("two_workers", why,
                     {{"case", c.model}, {"batch", StrCat(c.batch)}},
                     c.bar > 0 ? AtLeast(c.bar) : Bar{});
    }
  };
  if (std::string why = MissingHere(); !why.empty()) return missing(why);
  Environment();
  Ranks one(kOwnPython, "sluice", 1), two(kOwnPython, "sluice", 2);
  unsetenv("PYTHONPATH");
  if (!one.ready() || !two.ready()) return missing("ranks did not start");
  for (const Case& c : cases) {
    if (!report.Wants(c.model)) continue;
    Seconds alone, both;
    for (int i = 0; i < report.rounds; ++i) {
      alone =
          Fewer(alone, one.Ask(StrCat("ddp ", c.model, " 3 ", 2 * c.batch)));
      both = Fewer(both, two.Ask(StrCat("ddp ", c.model, " 3 ", c.batch)));
    }
    report.Line("two_workers", alone.clock / both.clock, "x",
                {{"case", c.model},
                 {"batch", StrCat(c.batch)},
                 {"one_ms", StrCat(alone.clock * 1e3)},
                 {"two_ms", StrCat(both.clock * 1e3)},
                 {"computed", StrCat(alone.computed / both.computed)}},
                c.bar > 0 ? AtLeast(c.bar) : Bar{});
  }
}

// What backward() hides of the communication: 1 - (with - compute) / comm, of
// forward and backward with averages sent meanwhile, without any, and of the
// averages alone. Between ranks of one machine they are copies, which the same
// cores make: so it is measured with a network between the ranks, as slow as
// one between machines.
SL_BENCH(fleet, overlap, "communication hidden by the backward pass") {
  constexpr int kMegabits = 1000;
  const std::vector<std::pair<std::string, int>> cases = {{"resnet18", 32},
                                                          {"gpt", 16}};
  auto missing = [&](const std::string& why) {
    for (const auto& [model, batch] : cases) {
      report.Missing("overlap", why, {{"case", model}}, AtLeast(0.6));
    }
  };
  if (std::string why = MissingHere(); !why.empty()) return missing(why);
  Environment();
  Ranks ranks(kOwnPython, kMegabits);
  unsetenv("PYTHONPATH");
  if (!ranks.ready()) {
    return missing("ranks did not start: wanted unshare, ip and tc (iproute2)");
  }
  for (const auto& [model, batch] : cases) {
    if (!report.Wants(model)) continue;
    double best[4];
    const char* const kWhat[4] = {"compute", "comm", "with", "after"};
    double waited = std::numeric_limits<double>::infinity();
    std::fill_n(best, 4, waited);
    for (int i = 0; i < report.rounds; ++i) {
      for (int k = 0; k < 4; ++k) {
        std::string line = StrCat("overlap ", model, " ", batch, " ", kWhat[k]);
        Seconds found = ranks.Ask(line);
        best[k] = std::min(best[k], found.clock);
        if (k == 2) waited = std::min(waited, found.computed);
      }
    }
    report.Line("overlap", 1 - (best[2] - best[0]) / best[1], "share",
                {{"case", model},
                 {"megabits", StrCat(kMegabits)},
                 {"compute_ms", StrCat(best[0] * 1e3)},
                 {"comm_ms", StrCat(best[1] * 1e3)},
                 {"with_ms", StrCat(best[2] * 1e3)},
                 {"after_ms", StrCat(best[3] * 1e3)},
                 {"waited_ms", StrCat(waited * 1e3)}},
                AtLeast(0.6));
  }
}

}  // namespace sluice::bench
