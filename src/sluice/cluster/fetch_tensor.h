// Fetching of a large tensor that another task offers, into memory of this one:
// read from the other process's memory where that is on this host, else in
// parts over several connections.
//
// A TensorFetch lives until `done` was called, once, from any thread.
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
  int64_t process = 0;  // 0: its memory cannot be read
  OfferedMemory memory;
  std::function<void(const Status&)> done;
};

// Reads the memory; where that fails, by parts. Takes as long as a copy.
void FetchDirectly(const std::shared_ptr<TensorFetch>& fetch);
void FetchByParts(const std::shared_ptr<TensorFetch>& fetch);

// Bytes that were fetched either way in this process.
int64_t BytesFetchedDirectly();
int64_t BytesFetchedByParts();

}  // namespace sluice::cluster
