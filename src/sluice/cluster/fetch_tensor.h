// Fetches a large tensor that another task offers into local memory: directly
// from the other process's memory if that is on this host, else in parts over
// several connections.
//
// A TensorFetch lives until `done` has been called, once, from any thread.
#pragma once

#include <functional>
#include <memory>

#include "sluice/cluster/messages.h"
#include "sluice/cluster/peer.h"

namespace sluice::cluster {

struct TensorFetch {
  Array array;     // to be filled
  FetchPart part;  // which tensor
  std::shared_ptr<Peer> peer;
  Transport* transport = nullptr;
  int64_t process = 0;  // 0: its memory cannot be read directly
  OfferedMemory memory;
  std::function<void(const Status&)> done;
};

// Reads the memory directly, else by parts. Takes as long as a copy.
void FetchDirectly(const std::shared_ptr<TensorFetch>& fetch);
void FetchByParts(const std::shared_ptr<TensorFetch>& fetch);

// Bytes that this process fetched each way.
int64_t BytesFetchedDirectly();
int64_t BytesFetchedByParts();

}  // namespace sluice::cluster
