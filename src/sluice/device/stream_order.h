// Stream order of memory: who wrote a block of device memory last, who reads
// it, and what a stream has to wait for before it touches it.
//
// The host hands out work and blocks of memory without waiting for a device, so
// the order of things is kept here: each block has a BlockUse, its record in
// its allocator. Before a stream touches an array and after it has been given
// the work that does, one of the four functions below is called; they make the
// stream wait for other streams where it must and remember what later ones have
// to wait for. Arrays of the host, and arrays that only borrow their bytes,
// have no record: for them nothing happens.
//
// Waits are always asked for, also when their event is reached: a stream that
// has nothing to wait for drops the wait itself, and one that keeps a virtual
// clock learns the time.
//
// Thread safe: each record has a lock of its own, which is held while events
// are recorded and awaited. Streams let any thread record on them, also while
// another one issues work.
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/device/device.h"

namespace sluice {

// A stream that may still touch some bytes, up to a point in it.
struct UseUntil {
  Stream* stream = nullptr;
  // Reached when the use is over; null: not marked, so that whoever waits for
  // it marks it then and waits for all that the stream was given till then.
  EventRef event;
  uint64_t stamp = 0;  // order of events in one stream

  // Marked now where it is not yet.
  const EventRef& Mark();
};

// Keeps for each stream the later of its uses.
void AddUse(std::vector<UseUntil>& uses, UseUntil use);
// A mark in the stream, now.
UseUntil UseNow(Stream& stream);

// The record of a block of device memory, from its allocation until it is free.
class BlockUse {
 public:
  // The home stream is the one the block was allocated for. `fresh`: nobody
  // used these bytes before, or all who did are done; otherwise they are the
  // home stream's by its order, and others wait for it as for a write.
  void Begin(Stream& home, bool fresh) SL_EXCLUDES(mu_);
  // All streams that may still use the block, which is nobody's after that.
  // `mark`: those in plain order on the home stream are marked as well.
  std::vector<UseUntil> End(bool mark) SL_EXCLUDES(mu_);

  void BeforeRead(Stream& s) SL_EXCLUDES(mu_);
  void AfterRead(Stream& s) SL_EXCLUDES(mu_);
  void BeforeWrite(Stream& s) SL_EXCLUDES(mu_);
  void AfterWrite(Stream& s, bool mark) SL_EXCLUDES(mu_);

 private:
  void WaitForWriter(Stream& s) SL_REQUIRES(mu_);

  Mutex mu_;
  Stream* home_ SL_GUARDED_BY(mu_) = nullptr;
  // The last write; its stream is null when there was none.
  UseUntil write_ SL_GUARDED_BY(mu_);
  // Streams that come after that write because they have waited for it.
  std::vector<Stream*> seen_ SL_GUARDED_BY(mu_);
  // Reads since, on other streams than home.
  std::vector<UseUntil> reads_ SL_GUARDED_BY(mu_);
  bool home_read_ SL_GUARDED_BY(mu_) = false;
};

// The record of the array's bytes; null: they are in no stream's order.
BlockUse* BlockUseOf(const Array& array);

// `s` is about to be given work that reads the array: it comes after the last
// write.
void BeforeRead(Stream& s, const Array& a);
// `s` was given work that reads the array: writers and the next owner of the
// memory wait for it.
void AfterRead(Stream& s, const Array& a);
// `s` is about to be given work that writes: it comes after the last write and
// the reads since.
void BeforeWrite(Stream& s, const Array& a);
// `mark`: another stream will read it, so the end of the write is marked at
// once. Without it, a reader on another stream waits for all that this stream
// was given before the reader came.
void AfterWrite(Stream& s, const Array& a, bool mark);

}  // namespace sluice
