// TcpMesh: the connections of one rank once all ranks have connected, and how
// they connect. TcpLinks (collective/tcp_links.cc) uses it.
#pragma once

#include "sluice/collective/shm_inbox.h"
#include "sluice/collective/socket.h"
#include "sluice/collective/tcp_links.h"

namespace sluice::collective {

struct TcpMesh {
  // By rank; this rank's own entry is empty.
  std::vector<Socket> data, control;
  // For ranks on this machine, which use shared memory for data: the inbox of
  // this rank, and those of the others by rank, null if remote.
  std::unique_ptr<ShmInbox> inbox;
  std::vector<std::unique_ptr<ShmInbox>> inboxes;
  std::vector<std::string> names;  // "rank 1 (127.0.0.1, process 4242)"
};

Result<TcpMesh> MeetRanks(const TcpOptions& options);

}  // namespace sluice::collective
