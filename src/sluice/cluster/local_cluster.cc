#include "sluice/cluster/local_cluster.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"

extern char** environ;

namespace sluice::cluster {

namespace {

constexpr int64_t kStartMs = 30'000, kEndMs = 10'000;

bool Runs(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

std::string FolderOf(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

// The folders of the program and of the library that contains this code.
std::vector<std::string> OwnFolders() {
  std::vector<std::string> folders;
  char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (size > 0) {
    folders.push_back(FolderOf(std::string(path, static_cast<size_t>(size))));
  }
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&OwnFolders), &info) && info.dli_fname) {
    folders.push_back(FolderOf(info.dli_fname));
  }
  return folders;
}

// Reads the first line of a pipe, without its newline.
Result<std::string> ReadLine(int pipe, int64_t ms) {
  std::string line;
  const int64_t end = NowNanos() + ms * 1'000'000;
  for (;;) {
    int64_t left = (end - NowNanos()) / 1'000'000;
    pollfd one{pipe, POLLIN, 0};
    if (left <= 0) return DeadlineExceeded("it says nothing");
    int ready = poll(&one, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) continue;
    char c = 0;
    ssize_t got = read(pipe, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return Status(Code::kUnavailable, StrCat("it ended: ", line));
    }
    if (c == '\n') return line;
    line += c;
  }
}

}  // namespace

Result<std::string> FindProgram(const std::string& given, const char* variable,
                                const std::string& name) {
  if (!given.empty()) {
    if (Runs(given)) return given;
    return NotFound(StrCat("\"", given, "\" is no program"));
  }
  if (const char* said = std::getenv(variable)) {
    if (Runs(said)) return std::string(said);
    return NotFound(
        StrCat(variable, " says \"", said, "\", which is no program"));
  }
  for (const std::string& folder : OwnFolders()) {
    if (Runs(folder + name)) return folder + name;
  }
  const char* path = std::getenv("PATH");
  std::string_view left = path ? path : "";
  while (!left.empty()) {
    size_t colon = left.find(':');
    std::string at = StrCat(left.substr(0, colon), "/", name);
    if (Runs(at)) return at;
    left = colon == left.npos ? "" : left.substr(colon + 1);
  }
  return NotFound(StrCat("there is no program ", name,
                         " beside this one or on "
                         "the path; ",
                         variable,
                         " says where it is. It is "
                         "part of builds with gRPC"));
}

Result<std::unique_ptr<LocalCluster>> LocalCluster::Start(
    int tasks, LocalClusterOptions options) {
  if (tasks < 1 || tasks > 4096) {
    return InvalidArgument(
        StrCat("a cluster of ", tasks, " tasks; wanted 1 to 4096"));
  }
  std::unique_ptr<LocalCluster> cluster(new LocalCluster(std::move(options)));
  SL_ASSIGN_OR_RETURN(
      cluster->program_,
      FindProgram(cluster->options_.server, "SLUICE_SERVER", "sluice-server"));
  cluster->servers_.resize(static_cast<size_t>(tasks));
  auto& addresses = cluster->spec_.jobs[cluster->options_.job];
  for (int i = 0; i < tasks; ++i) {
    SL_RETURN_IF_ERROR(cluster->Launch(i, "127.0.0.1:0"));
    addresses.push_back(cluster->servers_[static_cast<size_t>(i)].address);
  }
  for (One& one : cluster->servers_) {
    SL_RETURN_IF_ERROR(cluster->Tell(one));
  }
  return cluster;
}

Status LocalCluster::Launch(int task, const std::string& listen) {
  One& one = servers_[static_cast<size_t>(task)];
  std::vector<std::string> words = {
      program_,   "--job", options_.job, "--task", std::to_string(task),
      "--listen", listen,  "--cluster",  "-"};
  if (options_.die_with_thread) words.push_back("--die-with-parent");
  words.insert(words.end(), options_.arguments.begin(),
               options_.arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0) return ResourceExhausted("no more pipes");
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in[0]);
    close(in[1]);
    return ResourceExhausted("no more pipes");
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  if (!options_.show_errors) {
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  }
  // Ctrl-C is for the program, which ends the servers.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t process = 0;
  int error = posix_spawn(&process, program_.c_str(), &actions, &attributes,
                          argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  if (error != 0) {
    close(in[1]);
    close(out[0]);
    return Status(Code::kUnavailable, StrCat("cannot start ", program_, ": ",
                                             std::strerror(error)));
  }
  one.process = process;
  one.input = in[1];
  one.output = out[0];
  Result<std::string> line = ReadLine(one.output, kStartMs);
  constexpr std::string_view kSays = "listening ";
  if (!line.ok() || !line->starts_with(kSays)) {
    Reap(one, true);
    return Status(Code::kUnavailable,
                  StrCat(program_, " did not start: ",
                         line.ok() ? *line : line.status().message()));
  }
  one.address = line->substr(kSays.size());
  return OkStatus();
}

Status LocalCluster::Tell(One& one) const {
  std::string text = spec_.ToJson() + "\n";
  bool told = write(one.input, text.data(), text.size()) ==
              static_cast<ssize_t>(text.size());
  while (told) {
    Result<std::string> line = ReadLine(one.output, kStartMs);
    told = line.ok();
    if (told && *line == "ready") break;
  }
  close(one.output);
  one.output = -1;
  if (told) return OkStatus();
  return Status(Code::kUnavailable, StrCat(program_, " ended at once"));
}

void LocalCluster::Reap(One& one, bool kill_it) {
  auto process = static_cast<pid_t>(one.process);
  one.process = 0;
  // Before its input is closed, which would make it print a warning.
  if (kill_it && process != 0) kill(process, SIGKILL);
  if (one.input >= 0) close(one.input);
  if (one.output >= 0) close(one.output);
  one.input = one.output = -1;
  if (process == 0) return;
  const int64_t end = NowNanos() + kEndMs * 1'000'000;
  for (;;) {
    int status = 0;
    pid_t got = waitpid(process, &status, kill_it ? 0 : WNOHANG);
    if (got == process || (got < 0 && errno != EINTR)) return;
    if (kill_it) continue;
    if (NowNanos() > end) {
      kill(process, SIGKILL);
      kill_it = true;
    } else {
      usleep(1000);
    }
  }
}

LocalCluster::~LocalCluster() {
  // All servers are asked before any is waited for. A stopped one does not
  // react.
  for (One& one : servers_) {
    if (one.input >= 0) close(one.input);
    one.input = -1;
    if (one.process != 0) kill(static_cast<pid_t>(one.process), SIGCONT);
  }
  for (One& one : servers_) Reap(one, false);
}

std::string LocalCluster::target(int task) const {
  return "grpc://" + address(task);
}
std::string LocalCluster::address(int task) const {
  return servers_[static_cast<size_t>(task)].address;
}
std::string LocalCluster::task(int task) const {
  return TaskName(options_.job, task);
}
int64_t LocalCluster::process(int task) const {
  return servers_[static_cast<size_t>(task)].process;
}

void LocalCluster::Kill(int task) {
  Reap(servers_[static_cast<size_t>(task)], true);
}
void LocalCluster::Stop(int task) {
  kill(static_cast<pid_t>(process(task)), SIGSTOP);
}
void LocalCluster::Continue(int task) {
  kill(static_cast<pid_t>(process(task)), SIGCONT);
}

Status LocalCluster::Restart(int task) {
  One& one = servers_[static_cast<size_t>(task)];
  std::string address = one.address;
  Reap(one, true);
  SL_RETURN_IF_ERROR(Launch(task, address));
  return Tell(one);
}

}  // namespace sluice::cluster
