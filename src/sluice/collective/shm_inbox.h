// ShmInbox: shared memory between ranks of one machine, one object per rank: a
// ring buffer of bytes from each other rank, and a bell that wakes the rank.
// Data is copied once, and combined in place.
//
// Each ring has one writer, the peer's exchanging thread, and one reader, the
// owner's. Positions are published with release and acquire. A message begins
// at a multiple of kAlign; both sides compute it, because both know the
// message's length. Elements are therefore aligned and never cross the end of
// the ring.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "sluice/base/status.h"

namespace sluice::collective {

class ShmInbox {
 public:
  static constexpr size_t kAlign = 64;
  static constexpr size_t kRing = 512 << 10;

  // Names contain the owner's process id: objects left by processes that were
  // killed are removed when the next inbox is made.
  static std::string Name(int64_t process, const std::string& rest);
  // Create makes an inbox for `ranks` senders; Open opens another rank's.
  static Result<std::unique_ptr<ShmInbox>> Create(const std::string& name,
                                                  int ranks);
  static Result<std::unique_ptr<ShmInbox>> Open(const std::string& name,
                                                int ranks);
  ~ShmInbox();
  ShmInbox(const ShmInbox&) = delete;
  ShmInbox& operator=(const ShmInbox&) = delete;
  // Removes the name; the memory is freed when the last process unmaps it.
  static void Unlink(const std::string& name);

  // For the writer: writes as much of the data as fits, and returns how much.
  size_t Write(int from, const char* data, size_t bytes);
  bool HasRoom(int from) const;
  // For the reader: the available bytes, and their release after use.
  size_t Peek(int from, const char** data) const;
  void Use(int from, size_t bytes);
  // For both, after a message of that length.
  void EndWrite(int from, size_t bytes);
  void EndRead(int from, size_t bytes);

  // Wakes the owner if it sleeps.
  void Ring();
  // For the owner: sleeps until the bell is rung after Listen(), or the time is
  // over.
  uint32_t Listen();
  void Sleep(uint32_t heard, int64_t nanos);
  void Awake();

 private:
  struct Bell;
  struct Positions;
  ShmInbox(char* base, size_t bytes) : base_(base), bytes_(bytes) {}
  static Result<std::unique_ptr<ShmInbox>> Map(const std::string& name,
                                               int ranks, int flags);
  Bell& bell() const;
  Positions& positions(int from) const;
  char* ring(int from) const;

  char* const base_;
  const size_t bytes_;
};

}  // namespace sluice::collective
