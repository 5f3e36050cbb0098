// How a process becomes a rank: it learns the addresses of the other ranks from
// its environment or from options.
//
// Called by one thread, once per group.
#pragma once

#include <memory>
#include <string>

#include "sluice/cluster/resolve.h"
#include "sluice/collective/process_group.h"

namespace sluice::fleet {

struct InitOptions {
  // "host:port" of rank 0, with rank and world_size. Empty: all three from the
  // environment (cluster/resolve.h).
  std::string address;
  int rank = -1;
  int world_size = -1;
  std::string name = "world";
  // How long ranks wait for each other, during setup and in every collective.
  double timeout_seconds = 1800;
};

// A rank and its group's address. Error: not specified, or incomplete.
struct Place {
  int rank = 0;
  std::vector<std::string> addresses;
  int listener = -1;  // for rank 0, if its launcher already listens
};
Result<Place> FindPlace(const InitOptions& options,
                        const cluster::Environment& env);

// Connects to the other ranks. Connections are not encrypted: addresses beyond
// this machine are refused unless SLUICE_INSECURE_ALLOW_REMOTE=1 declares that
// the network is trusted.
Result<std::shared_ptr<collective::ProcessGroup>> MeetOthers(
    const InitOptions& options);

// Makes a group of some ranks of another; all ranks of that group must call it.
// Ranks are numbered by their positions in `ranks`. Null for a rank that is not
// in it.
Result<std::shared_ptr<collective::ProcessGroup>> MeetSome(
    collective::ProcessGroup& all, const std::vector<int>& ranks,
    const std::string& name, double timeout_seconds);

}  // namespace sluice::fleet
