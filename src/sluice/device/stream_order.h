// Stream order of memory: the last writer of a block of device memory, its
// readers, and the work that a stream must wait for before it touches the
// block.
//
// The host issues work and allocates memory without waiting for a device, so
// the order is tracked here. The allocator keeps a record for each block, its
// BlockUse. Before a stream is given work that touches an array, and after it,
// one of the four functions below is called. They make the stream wait for
// other streams where necessary and record what later streams must wait for.
// Host arrays and arrays that only borrow their bytes have no record: for them
// nothing happens.
//
// Waits are requested even if their event is already reached: a stream without
// pending work drops the wait itself, and a stream with a virtual clock learns
// the time.
//
// Thread safe: each record has its own lock, which is held while events are
// recorded and awaited. Any thread may record events on a stream, even while
// another thread issues work.
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/device/device.h"

namespace sluice {

// A stream that may still use some bytes, up to a point in it.
struct UseUntil {
  Stream* stream = nullptr;
  // Reached when the use is over. Null: no event yet; a waiter records it then
  // and waits for all work the stream has by then.
  EventRef event;
  uint64_t stamp = 0;  // order of events in one stream

  // Records the event if there is none yet.
  const EventRef& Mark();
};

// Adds a use; keeps the later one for each stream.
void AddUse(std::vector<UseUntil>& uses, UseUntil use);
// A use up to the current end of the stream.
UseUntil UseNow(Stream& stream);

// The record of a block of device memory, from allocation until it is free.
class BlockUse {
 public:
  // The block was allocated for stream `home`. `fresh`: the bytes were never
  // used, or all earlier uses are done. Otherwise they belong to the home
  // stream by its order, and other streams wait as for a write.
  void Begin(Stream& home, bool fresh) SL_EXCLUDES(mu_);
  // Ends ownership and returns all streams that may still use the block.
  // `mark`: also records events for uses in plain order on the home stream.
  std::vector<UseUntil> End(bool mark) SL_EXCLUDES(mu_);

  void BeforeRead(Stream& s) SL_EXCLUDES(mu_);
  void AfterRead(Stream& s) SL_EXCLUDES(mu_);
  void BeforeWrite(Stream& s) SL_EXCLUDES(mu_);
  void AfterWrite(Stream& s, bool mark) SL_EXCLUDES(mu_);

 private:
  void WaitForWriter(Stream& s) SL_REQUIRES(mu_);

  Mutex mu_;
  Stream* home_ SL_GUARDED_BY(mu_) = nullptr;
  // The last write; its stream is null if there was none.
  UseUntil write_ SL_GUARDED_BY(mu_);
  // Streams that have waited for that write and so come after it.
  std::vector<Stream*> seen_ SL_GUARDED_BY(mu_);
  // Reads since then, on streams other than home.
  std::vector<UseUntil> reads_ SL_GUARDED_BY(mu_);
  bool home_read_ SL_GUARDED_BY(mu_) = false;
};

// The record of the array's bytes; null: they are in no stream order.
BlockUse* BlockUseOf(const Array& array);

// Call before giving `s` work that reads the array: it waits for the last
// write.
void BeforeRead(Stream& s, const Array& a);
// Call after giving `s` work that reads the array: writers and the next owner
// of the memory will wait for it.
void AfterRead(Stream& s, const Array& a);
// Call before giving `s` work that writes: it waits for the last write and the
// reads since.
void BeforeWrite(Stream& s, const Array& a);
// `mark`: another stream will read the array, so an event marks the end of the
// write at once. Without it, a reader on another stream waits for all work that
// this stream has when the reader comes.
void AfterWrite(Stream& s, const Array& a, bool mark);

}  // namespace sluice
