#include "sluice/cluster/host_memory.h"

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <vector>

#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"

namespace sluice::cluster {

namespace {

// Identifies the namespace of process ids: the boot and the container.
std::string HostOf() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  struct stat ns{};
  if (boot.empty() || stat("/proc/self/ns/pid", &ns) != 0) return "";
  return StrCat(boot, "/", static_cast<uint64_t>(ns.st_ino));
}

// Only processes that can read this one find it at its address.
uint64_t& Proof() {
  static uint64_t proof = [] {
    std::random_device random;
    return uint64_t{random()} << 32 | random();
  }();
  return proof;
}

bool Wanted() {
  const char* off = std::getenv("SLUICE_SHARED_MEMORY");
  return !off || std::string_view(off) != "0";
}

// Words of guards; their addresses stay valid for the life of the process.
constexpr size_t kGuards = 1024;
struct Guards {
  std::atomic<uint64_t> words[kGuards]{};
  Mutex mu;
  std::vector<std::atomic<uint64_t>*> free SL_GUARDED_BY(mu);
  uint64_t next SL_GUARDED_BY(mu) = 1;

  Guards() {
    for (auto& word : words) free.push_back(&word);
  }
  static Guards& Get() {
    static Guards* guards = new Guards;
    return *guards;
  }
};

}  // namespace

MemoryGuard MemoryGuard::Take() {
  Guards& guards = Guards::Get();
  MutexLock lock(guards.mu);
  MemoryGuard guard;
  if (guards.free.empty()) return guard;
  guard.word_ = guards.free.back();
  guards.free.pop_back();
  guard.value_ = guards.next++;
  guard.word_->store(guard.value_, std::memory_order_seq_cst);
  return guard;
}

MemoryGuard::~MemoryGuard() {
  if (!word_) return;
  word_->store(0, std::memory_order_seq_cst);
  Guards& guards = Guards::Get();
  MutexLock lock(guards.mu);
  guards.free.push_back(word_);
}

uint64_t MemoryGuard::address() const {
  return reinterpret_cast<uintptr_t>(word_);
}

void DescribeOwnMemory(Hello* hello) {
  if (!Wanted()) return;
  hello->host = HostOf();
  hello->process = getpid();
  hello->proof_address = reinterpret_cast<uintptr_t>(&Proof());
  hello->proof = Proof();
}

bool CanReadMemoryOf(const Hello& hello) {
  if (!Wanted() || hello.host.empty() || hello.host != HostOf()) return false;
  uint64_t found = 0;
  return ReadMemoryOf(hello.process, hello.proof_address, &found, sizeof(found))
             .ok() &&
         found == hello.proof;
}

Status ReadMemoryOf(int64_t process, uint64_t address, void* to, size_t size) {
  constexpr size_t kMost = size_t{1} << 30;
  char* at = static_cast<char*>(to);
  while (size > 0) {
    size_t wanted = std::min(size, kMost);
    iovec here{at, wanted};
    iovec there{reinterpret_cast<void*>(static_cast<uintptr_t>(address)),
                wanted};
    ssize_t got =
        process_vm_readv(static_cast<pid_t>(process), &here, 1, &there, 1, 0);
    if (got <= 0) {
      return Status(Code::kUnavailable,
                    StrCat("cannot read the memory of process ", process, ": ",
                           got < 0 ? std::strerror(errno) : "it has ended"));
    }
    at += got;
    address += static_cast<uint64_t>(got);
    size -= static_cast<size_t>(got);
  }
  return OkStatus();
}

}  // namespace sluice::cluster
