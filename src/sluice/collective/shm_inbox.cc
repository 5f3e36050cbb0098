#include "sluice/collective/shm_inbox.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "sluice/base/strings.h"

namespace sluice::collective {

struct ShmInbox::Bell {
  std::atomic<uint32_t> rings{0};
  std::atomic<uint32_t> sleeps{0};
};

// On separate cache lines: different cores write them.
struct ShmInbox::Positions {
  alignas(kAlign) std::atomic<uint64_t> written{0};
  alignas(kAlign) std::atomic<uint64_t> used{0};
};

namespace {

// Shared memory must not depend on the locks of one process.
static_assert(std::atomic<uint64_t>::is_always_lock_free);

constexpr size_t kHead = 4096;  // the bell, on a page of its own

constexpr std::string_view kPrefix = "sluice-";

// Removes objects of processes that no longer exist. An object from another
// container may look like one: its ranks then use TCP.
void RemoveLeftOver() {
  DIR* folder = opendir("/dev/shm");
  if (!folder) return;
  while (const dirent* entry = readdir(folder)) {
    std::string_view name = entry->d_name;
    if (!name.starts_with(kPrefix)) continue;
    const char* at = name.data() + kPrefix.size();
    pid_t process = 0;
    auto [end, error] = std::from_chars(at, name.data() + name.size(), process);
    if (error != std::errc() || *end != '-' || process <= 0) continue;
    if (kill(process, 0) == 0 || errno != ESRCH) continue;
    ShmInbox::Unlink(StrCat("/", name));
  }
  closedir(folder);
}

size_t Padding(size_t bytes) {
  return (ShmInbox::kAlign - bytes % ShmInbox::kAlign) % ShmInbox::kAlign;
}

}  // namespace

// New shared memory is zero, which is the initial state of all of these.
ShmInbox::Bell& ShmInbox::bell() const {
  return *reinterpret_cast<Bell*>(base_);
}
ShmInbox::Positions& ShmInbox::positions(int from) const {
  return *reinterpret_cast<Positions*>(
      base_ + kHead + static_cast<size_t>(from) * (kRing + kHead));
}
char* ShmInbox::ring(int from) const {
  return base_ + kHead + static_cast<size_t>(from) * (kRing + kHead) + kHead;
}

Result<std::unique_ptr<ShmInbox>> ShmInbox::Map(const std::string& name,
                                                int ranks, int flags) {
  const size_t bytes = kHead + static_cast<size_t>(ranks) * (kRing + kHead);
  int fd = shm_open(name.c_str(), O_RDWR | O_CLOEXEC | flags, 0600);
  if (fd < 0) return Internal(StrCat("shm_open: ", std::strerror(errno)));
  // Reserved now: running out of memory later would kill the process.
  int error = flags ? posix_fallocate(fd, 0, static_cast<off_t>(bytes)) : 0;
  void* base = MAP_FAILED;
  if (error == 0) {
    base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  close(fd);
  if (base == MAP_FAILED) {
    if (flags) Unlink(name);
    return ResourceExhausted("no shared memory");
  }
  return std::unique_ptr<ShmInbox>(
      new ShmInbox(static_cast<char*>(base), bytes));
}

std::string ShmInbox::Name(int64_t process, const std::string& rest) {
  return StrCat("/", kPrefix, process, "-", rest);
}

Result<std::unique_ptr<ShmInbox>> ShmInbox::Create(const std::string& name,
                                                   int ranks) {
  RemoveLeftOver();
  return Map(name, ranks, O_CREAT | O_EXCL);
}
Result<std::unique_ptr<ShmInbox>> ShmInbox::Open(const std::string& name,
                                                 int ranks) {
  return Map(name, ranks, 0);
}
void ShmInbox::Unlink(const std::string& name) {
  (void)shm_unlink(name.c_str());
}

ShmInbox::~ShmInbox() { munmap(base_, bytes_); }

size_t ShmInbox::Write(int from, const char* data, size_t bytes) {
  Positions& p = positions(from);
  const uint64_t at = p.written.load(std::memory_order_relaxed);
  const uint64_t used = p.used.load(std::memory_order_acquire);
  // The padding of the last message may exceed the free space.
  if (at >= used + kRing) return 0;
  const size_t place = at % kRing;
  // Copies a part at a time, so that the reader can start early.
  size_t n = std::min({bytes, kRing - static_cast<size_t>(at - used),
                       kRing - place, kRing / 4});
  std::memcpy(ring(from) + place, data, n);
  p.written.store(at + n, std::memory_order_release);
  return n;
}

bool ShmInbox::HasRoom(int from) const {
  const Positions& p = positions(from);
  return p.written.load(std::memory_order_relaxed) <
         p.used.load(std::memory_order_acquire) + kRing;
}

size_t ShmInbox::Peek(int from, const char** data) const {
  const Positions& p = positions(from);
  const uint64_t used = p.used.load(std::memory_order_relaxed);
  const uint64_t at = p.written.load(std::memory_order_acquire);
  // The writer may not have published the padding yet.
  if (used >= at) return 0;
  const size_t place = used % kRing;
  *data = ring(from) + place;
  return std::min(static_cast<size_t>(at - used), kRing - place);
}

void ShmInbox::Use(int from, size_t bytes) {
  Positions& p = positions(from);
  p.used.store(p.used.load(std::memory_order_relaxed) + bytes,
               std::memory_order_release);
}

// Space for the padding need not be waited for: the next write waits until the
// reader, which skips it too, has passed it.
void ShmInbox::EndWrite(int from, size_t bytes) {
  Positions& p = positions(from);
  p.written.store(p.written.load(std::memory_order_relaxed) + Padding(bytes),
                  std::memory_order_release);
}
void ShmInbox::EndRead(int from, size_t bytes) { Use(from, Padding(bytes)); }

void ShmInbox::Ring() {
  Bell& b = bell();
  b.rings.fetch_add(1, std::memory_order_seq_cst);
  if (b.sleeps.load(std::memory_order_seq_cst) == 0) return;
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&b.rings), FUTEX_WAKE, 1,
          nullptr, nullptr, 0);
}

uint32_t ShmInbox::Listen() {
  Bell& b = bell();
  b.sleeps.store(1, std::memory_order_seq_cst);
  return b.rings.load(std::memory_order_seq_cst);
}

void ShmInbox::Sleep(uint32_t heard, int64_t nanos) {
  timespec span{static_cast<time_t>(nanos / 1'000'000'000),
                static_cast<long>(nanos % 1'000'000'000)};
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&bell().rings), FUTEX_WAIT,
          heard, &span, nullptr, 0);
}

void ShmInbox::Awake() { bell().sleeps.store(0, std::memory_order_relaxed); }

}  // namespace sluice::collective
