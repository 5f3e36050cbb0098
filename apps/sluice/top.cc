// sluice top: what the tasks of a cluster do, and what their steps wait for.
#include <unistd.h>

#include <cstdio>

#include "apps/sluice/command.h"
#include "sluice/base/error.h"
#include "sluice/cluster/remote_session.h"

namespace sluice::app {

const char kTopUsage[] =
    "usage: sluice top [--once] [--every SECONDS] grpc://HOST:PORT\n"
    "  the tasks the server knows: sessions, steps, messages that wait, bytes\n"
    "  that came, and what each step waits for\n"
    "  --once            one table, and no more\n"
    "  --every SECONDS   between tables (2)\n";

namespace {

using cluster::Gauge;
using cluster::StatusReply;

int64_t Of(const StatusReply& reply, const char* name) {
  for (const Gauge& gauge : reply.gauges) {
    if (gauge.name == name) return gauge.value;
  }
  return 0;
}

void Print(const std::string& address,
           const cluster::TransportOptions& options) {
  StatusReply first = ValueOrThrow(cluster::AskStatus(address, options));
  std::printf("%-22s %-21s %8s %6s %6s %8s %8s %12s\n", "task", "address",
              "sessions", "steps", "runs", "waiting", "messages", "MB came");
  std::vector<std::string> waits;
  for (const cluster::TaskInfo& task : first.cluster) {
    Result<StatusReply> reply = cluster::AskStatus(task.address, options);
    if (!reply.ok()) {
      std::printf("%-22s %-21s %s\n", task.task.c_str(), task.address.c_str(),
                  reply.status().message().c_str());
      continue;
    }
    double megabytes = static_cast<double>(Of(*reply, "fetched_bytes_total") +
                                           Of(*reply, "shared_bytes_total")) /
                       1e6;
    std::printf("%-22s %-21s %8lld %6lld %6lld %8lld %8lld %12.1f\n",
                task.task.c_str(), task.address.c_str(),
                static_cast<long long>(Of(*reply, "worker_sessions")),
                static_cast<long long>(Of(*reply, "worker_steps")),
                static_cast<long long>(Of(*reply, "worker_running")),
                static_cast<long long>(Of(*reply, "waiting_calls")),
                static_cast<long long>(Of(*reply, "waiting_messages")),
                megabytes);
    waits.insert(waits.end(), reply->waits.begin(), reply->waits.end());
  }
  for (const std::string& line : waits) std::printf("%s\n", line.c_str());
}

}  // namespace

int RunTop(Arguments arguments) {
  if (arguments.flag("--help") || arguments.flag("-h")) {
    std::fputs(kTopUsage, stdout);
    return kDone;
  }
  bool once = arguments.flag("--once");
  auto seconds = static_cast<unsigned>(arguments.number("--every", 2, 1, 3600));
  std::optional<std::string> target = arguments.word();
  if (!target) throw UsageError("there is no address");
  arguments.finish();
  std::string address = ValueOrThrow(cluster::AddressIn(*target));
  cluster::TransportOptions options = cluster::TransportFromEnvironment();
  for (;;) {
    Print(address, options);
    if (once) return kDone;
    std::fflush(stdout);
    sleep(seconds);
  }
}

}  // namespace sluice::app
