// sluice launch: a program with a cluster of servers on this machine, or as
// many ranks.
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "apps/sluice/command.h"
#include "apps/sluice/launch_ranks.h"
#include "sluice/base/error.h"
#include "sluice/cluster/local_cluster.h"

extern char** environ;

namespace sluice::app {

const char kLaunchUsage[] =
    "usage: sluice launch [-n N] [--files FOLDERS] PROGRAM [ARGUMENTS]\n"
    "       sluice launch --ranks N [--restarts K] PROGRAM [ARGUMENTS]\n"
    "  The first starts N servers (2) on this machine and runs the program "
    "with\n"
    "  SLUICE_MASTER=grpc://HOST:PORT; its sessions take that as their target\n"
    "  (sl.cluster.target() in Python). The servers end with it.\n"
    "  --files FOLDERS   where its graphs may touch files, on the servers\n"
    "  The second runs N copies of the program that find each other:\n"
    "  sl.distributed.init_process_group(). When one fails, the others end.\n"
    "  --restarts K      when one was killed or ended with 75, all start "
    "again,\n"
    "                    up to K times (0); SLUICE_RESTART_COUNT says how "
    "often\n"
    "                    they have\n";

int RunLaunch(Arguments arguments) {
  auto tasks = static_cast<int>(arguments.number("-n", 2, 1, 1024));
  auto ranks = static_cast<int>(arguments.number("--ranks", 0, 0, 1024));
  auto restarts =
      static_cast<int>(arguments.number("--restarts", 0, 0, 1'000'000));
  std::string files = arguments.text("--files", "");
  std::vector<std::string> words = arguments.rest();
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    std::fputs(kLaunchUsage, stdout);
    return kDone;
  }
  if (words.empty()) throw UsageError("there is no program to run");
  if (ranks > 0) return RunRanks(ranks, restarts, words);
  if (restarts > 0) throw UsageError("--restarts goes with --ranks");
  cluster::LocalClusterOptions options;
  options.show_errors = true;
  if (!files.empty()) options.arguments = {"--files", files};
  std::unique_ptr<cluster::LocalCluster> cluster =
      ValueOrThrow(cluster::LocalCluster::Start(tasks, std::move(options)));
  setenv("SLUICE_MASTER", cluster->target().c_str(), 1);
  setenv("SLUICE_CLUSTER", cluster->spec().ToJson().c_str(), 1);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  int error =
      posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ);
  if (error != 0) {
    throw UsageError("cannot run \"" + words[0] + "\"");
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace sluice::app
