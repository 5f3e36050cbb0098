// How a process becomes a rank: where the others are, from the environment that
// started it or as it is told.
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
  // How long ranks wait for each other, here and in every collective.
  double timeout_seconds = 1800;
};

// Who a rank is among which. Error: nothing says so, or what does is not whole.
struct Place {
  int rank = 0;
  std::vector<std::string> addresses;
  int listener = -1;  // of rank 0, where who started it listens already
};
Result<Place> FindPlace(const InitOptions& options,
                        const cluster::Environment& env);

// Meets the other ranks. Connections are not encrypted: addresses beyond this
// machine are refused unless SLUICE_INSECURE_ALLOW_REMOTE=1 says that the
// network is safe.
Result<std::shared_ptr<collective::ProcessGroup>> MeetOthers(
    const InitOptions& options);

// A group of some ranks of another, which all of that one's ranks make
// together; they are numbered by their places in `ranks`. Null for a rank that
// is not in it.
Result<std::shared_ptr<collective::ProcessGroup>> MeetSome(
    collective::ProcessGroup& all, const std::vector<int>& ranks,
    const std::string& name, double timeout_seconds);

}  // namespace sluice::fleet
