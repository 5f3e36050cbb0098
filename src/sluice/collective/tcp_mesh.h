// TcpMesh: the connections of one rank, when all ranks have met, and the
// meeting. TcpLinks (collective/tcp_links.cc) works with them.
#pragma once

#include "sluice/collective/shm_inbox.h"
#include "sluice/collective/socket.h"
#include "sluice/collective/tcp_links.h"

namespace sluice::collective {

struct TcpMesh {
  // By rank; nothing at this one's place.
  std::vector<Socket> data, control;
  // Of ranks on this machine, where data goes through memory instead: this
  // one's, and theirs by rank, null for others.
  std::unique_ptr<ShmInbox> inbox;
  std::vector<std::unique_ptr<ShmInbox>> inboxes;
  std::vector<std::string> names;  // "rank 1 (127.0.0.1, process 4242)"
};

Result<TcpMesh> MeetRanks(const TcpOptions& options);

}  // namespace sluice::collective
