// Ranks that are processes, each connected to every other by TCP: one
// connection for data, one for control messages that end a group. Nothing is
// encrypted. Data between ranks of one host goes through shared memory
// (shm_inbox.h).
//
// A thread owned by the object reads the control connections: all other ranks
// notice at once when a rank dies, wherever they wait, and a rank that gives up
// tells them why. The destructor ends the sockets and the thread.
#pragma once

#include "sluice/collective/links.h"

namespace sluice::collective {

struct TcpOptions {
  int rank = 0;
  // One per rank, "host:port". Rank 0 listens at its address; the others at a
  // port of their host that the system chooses.
  std::vector<std::string> addresses;
  // For rank 0: a descriptor that is already listening there and becomes the
  // group's, so that the launcher need not rely on a port staying free. -1:
  // none.
  int listener = -1;
  // Must be the same on all ranks.
  std::string name = "world";
  int64_t timeout_ns = int64_t{300} * 1'000'000'000;
  // Data between ranks of one host goes through shared memory where available.
  bool shared_memory = true;
};

// Waits for all ranks. Errors: the missing ranks; ranks with other settings.
Result<std::unique_ptr<Links>> MeetByTcp(const TcpOptions& options);

}  // namespace sluice::collective
