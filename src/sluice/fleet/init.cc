#include "sluice/fleet/init.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "sluice/base/strings.h"
#include "sluice/collective/socket.h"
#include "sluice/collective/tcp_links.h"
#include "sluice/collective/thread_links.h"

namespace sluice::fleet {

namespace {

std::string Variable(const cluster::Environment& env, const std::string& name) {
  auto it = env.find(name);
  return it == env.end() ? "" : it->second;
}

// For manual launches without LOCAL_WORLD_SIZE: all ranks are on this machine.
void AddLocalSize(cluster::Environment& env) {
  if (!Variable(env, "LOCAL_WORLD_SIZE").empty()) return;
  if (!Variable(env, "SLUICE_HOSTS").empty()) return;
  if (!cluster::IsLoopback(StrCat(Variable(env, "MASTER_ADDR"), ":1"))) return;
  env["LOCAL_WORLD_SIZE"] = Variable(env, "WORLD_SIZE");
}

// torchrun itself listens at MASTER_PORT; use the next port.
void MoveFromTheAgent(cluster::Environment& env) {
  if (Variable(env, "TORCHELASTIC_USE_AGENT_STORE") != "True") return;
  const std::string text = Variable(env, "MASTER_PORT");
  int port = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), port);
  if (error == std::errc() && port > 0 && port < 65535) {
    env["MASTER_PORT"] = std::to_string(port + 1);
  }
}

Result<Place> Told(const InitOptions& o) {
  if (o.world_size < 1 || o.rank < 0 || o.rank >= o.world_size) {
    return InvalidArgument(
        StrCat("rank is ", o.rank, " and world_size is ", o.world_size,
               "; wanted both, with 0 <= rank < world_size"));
  }
  SL_RETURN_IF_ERROR(cluster::CheckAddress(o.address));
  Place place;
  place.rank = o.rank;
  // Rank 0 learns the other ranks' addresses from them; it needs a host name
  // only for other machines.
  place.addresses.assign(static_cast<size_t>(o.world_size), o.address);
  return place;
}

}  // namespace

Result<Place> FindPlace(const InitOptions& options,
                        const cluster::Environment& env) {
  if (!options.address.empty()) return Told(options);
  cluster::Environment full = env;
  AddLocalSize(full);
  MoveFromTheAgent(full);
  SL_ASSIGN_OR_RETURN(std::optional<cluster::ResolvedCluster> found,
                      cluster::ResolveCluster(full));
  if (!found) {
    // A group of one needs no connections.
    if (options.world_size == 1 && options.rank <= 0) {
      Place place;
      place.addresses = {"127.0.0.1:0"};
      return place;
    }
    return FailedPrecondition(
        "nothing says which rank this process is; wanted a program started by "
        "`sluice launch --ranks N PROGRAM`, torchrun, srun or mpirun, or RANK, "
        "WORLD_SIZE, MASTER_ADDR and MASTER_PORT, or an address, rank and "
        "world_size");
  }
  Place place;
  place.rank = found->task;
  place.addresses = found->spec.jobs[found->job];
  const auto size = static_cast<int>(place.addresses.size());
  if ((options.rank >= 0 && options.rank != place.rank) ||
      (options.world_size >= 0 && options.world_size != size)) {
    return InvalidArgument(StrCat(found->from, " says rank ", place.rank,
                                  " of ", size, ", the call rank ",
                                  options.rank, " of ", options.world_size,
                                  "; wanted the same, or nothing in the call"));
  }
  const std::string listener = Variable(env, "SLUICE_LISTEN_FD");
  if (place.rank == 0 && !listener.empty()) {
    int fd = -1;
    auto [end, error] =
        std::from_chars(listener.data(), listener.data() + listener.size(), fd);
    if (error != std::errc() || fd < 0) {
      return InvalidArgument(StrCat("SLUICE_LISTEN_FD is \"", listener,
                                    "\"; wanted a descriptor"));
    }
    place.listener = fd;
  }
  return place;
}

Result<std::shared_ptr<collective::ProcessGroup>> MeetOthers(
    const InitOptions& options) {
  if (!(options.timeout_seconds > 0)) {
    return InvalidArgument(StrCat("timeout is ", options.timeout_seconds,
                                  " s; wanted more than 0"));
  }
  cluster::Environment env = cluster::ProcessEnvironment();
  SL_ASSIGN_OR_RETURN(Place place, FindPlace(options, env));
  for (const std::string& address : place.addresses) {
    if (cluster::IsLoopback(address)) continue;
    if (Variable(env, "SLUICE_INSECURE_ALLOW_REMOTE") == "1") break;
    return FailedPrecondition(StrCat(
        "\"", address,
        "\" is not of this machine, and connections between ranks are not "
        "encrypted; where the network is safe, set "
        "SLUICE_INSECURE_ALLOW_REMOTE=1"));
  }
  const int64_t timeout =
      static_cast<int64_t>(std::min(options.timeout_seconds, 1e9) * 1e9);
  std::unique_ptr<collective::Links> links;
  if (place.addresses.size() == 1) {
    links = std::move(collective::MakeThreadLinks(1)[0]);
  } else {
    collective::TcpOptions tcp;
    tcp.rank = place.rank;
    tcp.addresses = place.addresses;
    tcp.name = options.name;
    tcp.timeout_ns = timeout;
    tcp.shared_memory = Variable(env, "SLUICE_SHARED_MEMORY") != "0";
    // A second group of the process makes its own listener.
    if (place.listener >= 0 && unsetenv("SLUICE_LISTEN_FD") == 0) {
      tcp.listener = place.listener;
    }
    SL_ASSIGN_OR_RETURN(links, collective::MeetByTcp(tcp));
  }
  collective::GroupOptions group;
  group.name = options.name;
  group.timeout_ns = timeout;
  for (const std::string& address : place.addresses) {
    int port = 0;
    group.hosts.emplace_back();
    SL_RETURN_IF_ERROR(
        collective::SplitAddress(address, &group.hosts.back(), &port));
  }
  return std::make_shared<collective::ProcessGroup>(std::move(links), group);
}

}  // namespace sluice::fleet
