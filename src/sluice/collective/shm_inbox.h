// ShmInbox: memory that ranks of one machine share, one for every rank: a ring
// of bytes from each of the others, and a bell that wakes the rank. What is
// sent is copied once, and combined where it lies.
//
// Each ring has one writer, the peer's exchanging thread, and one reader, the
// owner's. Bytes and positions are handed over by release and acquire. A
// message begins at a multiple of kAlign, which both sides reach by themselves
// since both know its length; so elements are aligned and never cut by the end
// of the ring.
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

  // Names say whose they are: what processes left that were killed before they
  // could take the name away goes when the next inbox is made.
  static std::string Name(int64_t process, const std::string& rest);
  // A new one of that name, for `ranks` senders; or that of another rank.
  static Result<std::unique_ptr<ShmInbox>> Create(const std::string& name,
                                                  int ranks);
  static Result<std::unique_ptr<ShmInbox>> Open(const std::string& name,
                                                int ranks);
  ~ShmInbox();
  ShmInbox(const ShmInbox&) = delete;
  ShmInbox& operator=(const ShmInbox&) = delete;
  // Nobody can open it any more; the memory ends with the last that has it.
  static void Unlink(const std::string& name);

  // The writer: as much of the data as there is room for, and how much that
  // was.
  size_t Write(int from, const char* data, size_t bytes);
  bool HasRoom(int from) const;
  // The reader: what can be looked at, and that so much of it was used.
  size_t Peek(int from, const char** data) const;
  void Use(int from, size_t bytes);
  // Both, when a message of that length is through.
  void EndWrite(int from, size_t bytes);
  void EndRead(int from, size_t bytes);

  // Wakes the owner, if it sleeps.
  void Ring();
  // The owner: sleeps until the bell is rung after Listen(), or so long.
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
