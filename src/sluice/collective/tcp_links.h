// Ranks that are processes, each connected to every other by TCP: one
// connection for data, one for what ends a group. Nothing is encrypted. Data
// between ranks of one host goes through shared memory (shm_inbox.h).
//
// A thread of the object's own listens to the second kind: a rank that dies is
// noticed by all others at once, wherever they wait, and a rank that gives up
// tells them why. Sockets and thread end with the object.
#pragma once

#include "sluice/collective/links.h"

namespace sluice::collective {

struct TcpOptions {
  int rank = 0;
  // One per rank, "host:port". Rank 0 listens at its address; the others at
  // a port of their host that the system chooses.
  std::vector<std::string> addresses;
  // Of rank 0: a descriptor that listens there already, which is then the
  // group's; whoever starts ranks need not hope that a port stays free. -1:
  // none.
  int listener = -1;
  // What ranks must agree on to be of one group.
  std::string name = "world";
  int64_t timeout_ns = int64_t{300} * 1'000'000'000;
  // Between ranks of one host, data goes through shared memory where there is
  // some.
  bool shared_memory = true;
};

// Waits for all ranks. Errors: who did not come; ranks that do not fit.
Result<std::unique_ptr<Links>> MeetByTcp(const TcpOptions& options);

}  // namespace sluice::collective
