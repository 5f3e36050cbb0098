#include "apps/sluice/launch_ranks.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
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

bool Ignored(int signal) {
  struct sigaction now{};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

// Handled, unless whoever started this program has it ignored, as nohup and
// shells without job control do: then it stays so, also in the ranks.
void Handle(int signal, void (*handler)(int)) {
  if (Ignored(signal)) return;
  struct sigaction action{};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}

void PassOn(int signal) {
  told_to_end = 1;
  for (int i = 0; i < num_started; ++i) {
    if (started[i] > 0) kill(started[i], signal);
  }
}

// A program that is told to end when this one does, however it does: without
// its launcher nobody would start it again, and the next job in its folder
// would not be alone. -1: it cannot be run.
pid_t StartProgram(char* const* words) {
  int failed[2];
  if (pipe2(failed, O_CLOEXEC) != 0) return -1;
  const pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) {
    for (int s : {SIGTERM, SIGHUP, SIGINT}) {
      if (!Ignored(s)) signal(s, SIG_DFL);
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(128 + SIGTERM);  // it has ended already
    execvp(words[0], words);
    (void)!write(failed[1], "x", 1);
    _exit(127);
  }
  close(failed[1]);
  char byte;
  ssize_t said = 0;
  while (child > 0 && (said = read(failed[0], &byte, 1)) < 0 &&
         errno == EINTR) {
  }
  close(failed[0]);
  if (said <= 0) return child;
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return -1;
}

class Ranks {
 public:
  Ranks() {
    Handle(SIGTERM, PassOn);
    Handle(SIGHUP, PassOn);
    Handle(SIGINT, NoteTheEnd);
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
    for (int r = 0; r < ranks; ++r) {
      Set("RANK", std::to_string(r));
      Set("LOCAL_RANK", std::to_string(r));
      // Rank 0 gets the place where the others look for it, so that nobody can
      // take the port meanwhile.
      fcntl(listener.fd(), F_SETFD, r == 0 ? 0 : FD_CLOEXEC);
      if (r == 0) Set("SLUICE_LISTEN_FD", std::to_string(listener.fd()));
      if (r > 0) unsetenv("SLUICE_LISTEN_FD");
      pid_t child = StartProgram(argv.data());
      if (child < 0) throw UsageError("cannot run \"" + words[0] + "\"");
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
        Judge(status);
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
    // Others say "later" when one has failed, and may end before it.
    return first == kLater && failed_ != 0 && !killed_ ? failed_ : first;
  }
  // Whether it makes sense to start all again.
  bool again() const {
    return (killed_ || (later_ && failed_ == 0)) && !told_to_end;
  }

 private:
  // Not of what this program ended itself, nor of a Ctrl-C.
  void Judge(int status) {
    if (told_) return;
    if (WIFSIGNALED(status)) {
      killed_ = killed_ || WTERMSIG(status) != SIGINT;
    } else if (WEXITSTATUS(status) == kLater) {
      later_ = true;
    } else if (failed_ == 0) {
      failed_ = WEXITSTATUS(status);
    }
  }
  void Tell(int signal) const {
    for (pid_t p : processes_) {
      if (p > 0) kill(p, signal);
    }
  }
  std::vector<pid_t> processes_;
  bool told_ = false, killed_ = false, later_ = false;
  int failed_ = 0;  // with which code a program ended by an error of its own
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
