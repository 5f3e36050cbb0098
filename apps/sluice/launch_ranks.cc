#include "apps/sluice/launch_ranks.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "apps/sluice/command.h"
#include "sluice/base/clock.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/collective/socket.h"

extern char** environ;

namespace sluice::app {

namespace {

constexpr int64_t kGraceNs = int64_t{10} * 1'000'000'000;
// "Not now, but later" (EX_TEMPFAIL): the program has saved what it has done.
constexpr int kLater = 75;

void Set(const char* name, const std::string& value) {
  setenv(name, value.c_str(), 1);
}

// What else would say who a rank is: this one may itself run under a launcher.
void ForgetOtherLaunchers() {
  for (const char* name :
       {"TF_CONFIG", "SLURM_PROCID", "OMPI_COMM_WORLD_SIZE", "JOBSET_NAME",
        "SLUICE_HOSTS", "TORCHELASTIC_USE_AGENT_STORE"}) {
    unsetenv(name);
  }
}

int CodeOf(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// For the handler of signals: what ends this program ends its ranks.
constexpr int kMostRanks = 1024;
volatile sig_atomic_t num_started = 0;
volatile pid_t started[kMostRanks];
volatile sig_atomic_t told_to_end = 0;

// Who presses Ctrl-C tells the ranks, too; this program waits for them.
void NoteTheEnd(int /*signal*/) { told_to_end = 1; }

void PassOn(int signal) {
  told_to_end = 1;
  for (int i = 0; i < num_started; ++i) {
    if (started[i] > 0) kill(started[i], signal);
  }
}

class Ranks {
 public:
  Ranks() {
    struct sigaction action{};
    action.sa_handler = PassOn;
    sigaction(SIGTERM, &action, nullptr);
    sigaction(SIGHUP, &action, nullptr);
    action.sa_handler = NoteTheEnd;
    sigaction(SIGINT, &action, nullptr);
  }
  ~Ranks() {
    for (pid_t p : processes_) {
      if (p > 0) kill(p, SIGKILL);
    }
  }
  void Start(int ranks, int attempt, std::vector<std::string> words) {
    int port = 0;
    collective::Socket listener =
        ValueOrThrow(collective::Listen("127.0.0.1", 0, &port));
    ForgetOtherLaunchers();
    Set("MASTER_ADDR", "127.0.0.1");
    Set("MASTER_PORT", std::to_string(port));
    Set("WORLD_SIZE", std::to_string(ranks));
    Set("LOCAL_WORLD_SIZE", std::to_string(ranks));
    Set("SLUICE_RESTART_COUNT", std::to_string(attempt));
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    // Ranks are interrupted as any program is.
    posix_spawnattr_t defaults;
    sigset_t interrupt;
    posix_spawnattr_init(&defaults);
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    posix_spawnattr_setsigdefault(&defaults, &interrupt);
    posix_spawnattr_setflags(&defaults, POSIX_SPAWN_SETSIGDEF);
    for (int r = 0; r < ranks; ++r) {
      Set("RANK", std::to_string(r));
      Set("LOCAL_RANK", std::to_string(r));
      // Rank 0 gets the place where the others look for it, so that nobody can
      // take the port meanwhile.
      fcntl(listener.fd(), F_SETFD, r == 0 ? 0 : FD_CLOEXEC);
      if (r == 0) Set("SLUICE_LISTEN_FD", std::to_string(listener.fd()));
      if (r > 0) unsetenv("SLUICE_LISTEN_FD");
      pid_t child = 0;
      if (posix_spawnp(&child, argv[0], nullptr, &defaults, argv.data(),
                       environ) != 0) {
        throw UsageError("cannot run \"" + words[0] + "\"");
      }
      processes_.push_back(child);
      started[r] = child;
      num_started = r + 1;
    }
  }

  int WaitForAll() {
    int first = 0;
    size_t running = processes_.size();
    int64_t patience = 0;  // until when, once one has failed
    int signal = SIGTERM;
    while (running > 0) {
      int status = 0;
      pid_t ended = waitpid(-1, &status, patience ? WNOHANG : 0);
      if (ended < 0 && errno == EINTR) continue;
      if (ended < 0) break;
      if (ended == 0) {
        if (NowNanos() > patience) {
          told_ = true;
          Tell(signal);
          signal = SIGKILL;
          patience = NowNanos() + kGraceNs;
        }
        usleep(20'000);
        continue;
      }
      for (size_t r = 0; r < processes_.size(); ++r) {
        if (processes_[r] != ended) continue;
        processes_[r] = -1;
        started[r] = -1;
        --running;
        int code = CodeOf(status);
        if (code == 0) continue;
        // Not when it is this program that ended it, or a Ctrl-C.
        bool killed = WIFSIGNALED(status) && WTERMSIG(status) != SIGINT;
        if (!told_ && (killed || code == kLater)) again_ = true;
        std::string how =
            WIFEXITED(status)
                ? StrCat("ended with ", code)
                : StrCat("was killed by signal ", WTERMSIG(status), " (",
                         strsignal(WTERMSIG(status)), ")");
        std::fprintf(stderr, "sluice launch: rank %zu (process %d) %s\n", r,
                     static_cast<int>(ended), how.c_str());
        if (first == 0) {
          first = code;
          patience = NowNanos() + kGraceNs;
        }
      }
    }
    return first;
  }
  // Whether it makes sense to start all again.
  bool again() const { return again_ && !told_to_end; }

 private:
  void Tell(int signal) const {
    for (pid_t p : processes_) {
      if (p > 0) kill(p, signal);
    }
  }
  std::vector<pid_t> processes_;
  bool told_ = false, again_ = false;
};

}  // namespace

int RunRanks(int ranks, int restarts, const std::vector<std::string>& words) {
  for (int attempt = 0;; ++attempt) {
    Ranks all;
    all.Start(ranks, attempt, words);
    // Told to end while they started: not all of them have heard of it.
    if (told_to_end) PassOn(SIGTERM);
    int code = all.WaitForAll();
    if (code == 0 || !all.again() || attempt == restarts) return code;
    std::fprintf(stderr, "sluice launch: all %d ranks start again (%d of %d)\n",
                 ranks, attempt + 1, restarts);
  }
}

}  // namespace sluice::app
