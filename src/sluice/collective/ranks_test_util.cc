#include "sluice/collective/ranks_test_util.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <thread>

#include "sluice/base/strings.h"
#include "sluice/collective/socket.h"
#include "sluice/collective/tcp_links.h"
#include "sluice/collective/thread_links.h"

namespace sluice::collective {

void OnThreads(int size, const std::function<void(ProcessGroup&)>& rank,
               GroupOptions options) {
  std::vector<std::unique_ptr<ProcessGroup>> groups;
  for (auto& links : MakeThreadLinks(size)) {
    groups.push_back(std::make_unique<ProcessGroup>(std::move(links), options));
  }
  std::vector<std::thread> threads;
  for (auto& group : groups) {
    threads.emplace_back([&] { rank(*group); });
  }
  for (std::thread& t : threads) t.join();
}

namespace {

int RunRank(TcpOptions where, const std::function<int(ProcessGroup&)>& rank,
            const GroupOptions& options, int met) {
  Result<std::unique_ptr<Links>> links = MeetByTcp(where);
  if (!links.ok()) {
    std::fprintf(stderr, "%s\n", links.status().ToString().c_str());
    return 100;
  }
  if (write(met, "x", 1) != 1) return 101;
  try {
    ProcessGroup group(std::move(*links), options);
    return rank(group);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 102;
  }
}

}  // namespace

std::vector<int> OnProcesses(
    int size, const std::function<int(ProcessGroup&)>& rank,
    GroupOptions options,
    const std::function<void(const std::vector<int>&)>& began) {
  int port = 0, met[2];
  Socket listener = Listen("127.0.0.1", 0, &port).value();
  SL_CHECK(pipe(met) == 0);
  std::vector<int> processes, ends;
  for (int r = 0; r < size; ++r) {
    pid_t child = fork();
    SL_CHECK(child >= 0);
    if (child == 0) {
      TcpOptions where;
      where.rank = r;
      where.addresses.assign(static_cast<size_t>(size),
                             StrCat("127.0.0.1:", port));
      if (r == 0) where.listener = dup(listener.fd());
      where.shared_memory = ranks_share_memory;
      where.timeout_ns = int64_t{60} * 1'000'000'000;
      // _exit: the parent runs the test's cleanup.
      int code = RunRank(where, rank, options, met[1]);
      std::fflush(nullptr);
      _exit(code);
    }
    processes.push_back(child);
  }
  close(met[1]);
  char mark = 0;
  int there = 0;
  while (there < size && read(met[0], &mark, 1) == 1) ++there;
  if (began && there == size) began(processes);
  for (int process : processes) {
    int status = 0;
    waitpid(process, &status, 0);
    ends.push_back(WIFEXITED(status) ? WEXITSTATUS(status)
                                     : 128 + WTERMSIG(status));
  }
  close(met[0]);
  return ends;
}

}  // namespace sluice::collective
