#include "sluice/collective/tcp_links.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <thread>

#include "sluice/base/clock.h"
#include "sluice/base/started_thread.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/collective/receiver.h"
#include "sluice/collective/tcp_mesh.h"

namespace sluice::collective {

namespace {

// Messages on the control connections: a rank gives up, with the reason, or it
// leaves normally.
enum Word : uint32_t { kAbort = 1, kBye = 2 };
struct Note {
  uint32_t word = 0;
  uint32_t code = 0;
  uint32_t bytes = 0;  // of text that follows
  uint32_t unused = 0;
};
constexpr uint32_t kMaxText = 1 << 20;
// Combined data is received in pieces that fit a core's cache.
constexpr size_t kPiece = 256 << 10;
// Rounds without progress before a thread sleeps.
constexpr int kSpins = 64;
// The longest sleep before it checks the peers.
constexpr int64_t kLookNs = int64_t{200} * 1'000'000;
// How long a broken data connection waits for the reason on the control one.
constexpr int64_t kGraceNs = int64_t{5} * 1'000'000'000;

// The sockets of all links of this process. A forked child closes its copies:
// otherwise the other ranks would not notice the end of this process.
class OpenSockets {
 public:
  static void Add(const TcpMesh& mesh) {
    OpenSockets& all = Get();
    MutexLock lock(all.mu_);
    for (const auto* sockets : {&mesh.data, &mesh.control}) {
      for (const Socket& s : *sockets) {
        if (s) all.fds_.push_back(s.fd());
      }
    }
  }
  static void Remove(const TcpMesh& mesh) {
    OpenSockets& all = Get();
    MutexLock lock(all.mu_);
    for (const auto* sockets : {&mesh.data, &mesh.control}) {
      for (const Socket& s : *sockets) std::erase(all.fds_, s.fd());
    }
  }

 private:
  // Never destroyed, like groups (collective/groups.cc).
  static OpenSockets& Get() {
    static OpenSockets* const all = [] {
      (void)pthread_atfork(&BeforeFork, &InParent, &InChild);
      return new OpenSockets;
    }();
    return *all;
  }
  // Must not allocate or free: other threads may have held the allocator's
  // locks.
  static void InChild() SL_NO_THREAD_SAFETY_ANALYSIS {
    for (int fd : Get().fds_) close(fd);
    Get().fds_.clear();
    Get().mu_.unlock();
  }
  static void BeforeFork() SL_NO_THREAD_SAFETY_ANALYSIS { Get().mu_.lock(); }
  static void InParent() SL_NO_THREAD_SAFETY_ANALYSIS { Get().mu_.unlock(); }

  Mutex mu_;
  std::vector<int> fds_ SL_GUARDED_BY(mu_);
};

class TcpLinks final : public Links {
 public:
  TcpLinks(int rank, TcpMesh mesh)
      : rank_(rank), mesh_(std::move(mesh)), piece_(kPiece) {
    OpenSockets::Add(mesh_);
    left_.resize(mesh_.names.size());
    wake_ = Socket(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    watcher_ = StartedThread([this] { Watch(); });
  }
  ~TcpLinks() override {
    stop_.store(true);
    uint64_t one = 1;
    (void)!write(wake_.fd(), &one, sizeof(one));
    watcher_.join();
    OpenSockets::Remove(mesh_);
  }

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(mesh_.names.size()); }
  std::string NameOf(int rank) const override {
    return mesh_.names[static_cast<size_t>(rank)];
  }

  Status Exchange(const Outgoing& out, const Incoming& in,
                  int64_t deadline) override {
    SL_RETURN_IF_ERROR(cause());
    size_t sent = out.to < 0 ? out.bytes : 0;
    Receiver receiver(in, piece_);
    int idle = 0;
    while (sent < out.bytes || !receiver.done()) {
      bool moved = false;
      if (sent < out.bytes) {
        SL_ASSIGN_OR_RETURN(size_t n, Send(out, sent));
        sent += n;
        moved = n > 0;
      }
      if (!receiver.done()) {
        SL_ASSIGN_OR_RETURN(bool came, Receive(in, receiver));
        moved = moved || came;
      }
      if (moved) {
        idle = 0;
        continue;
      }
      if (++idle < kSpins) continue;
      int to = sent < out.bytes ? out.to : -1;
      int from = receiver.done() ? -1 : in.from;
      SL_RETURN_IF_ERROR(Wait(to, from, deadline));
    }
    if (out.to >= 0 && Shared(out.to)) {
      mesh_.inboxes[Index(out.to)]->EndWrite(rank_, out.bytes);
    }
    if (in.from >= 0 && Shared(in.from)) {
      mesh_.inbox->EndRead(in.from, in.bytes);
    }
    return OkStatus();
  }

  void Poison(Status cause) override {
    {
      MutexLock lock(mu_);
      if (!cause_.ok()) return;
      cause_ = cause;
      changed_.notify_all();
    }
    // The reason first, then the end of the data.
    Note note;
    note.word = kAbort;
    note.code = static_cast<uint32_t>(cause.code());
    std::string text = cause.message().substr(0, kMaxText);
    note.bytes = static_cast<uint32_t>(text.size());
    Tell(note, text);
    for (const Socket& s : mesh_.data) s.Shutdown();
    if (mesh_.inbox) mesh_.inbox->Ring();
  }
  Status cause() const override {
    MutexLock lock(mu_);
    return cause_;
  }
  void Leave() override {
    Note note;
    note.word = kBye;
    Tell(note, "");
  }

 private:
  static size_t Index(int rank) { return static_cast<size_t>(rank); }
  bool Shared(int rank) const { return mesh_.inboxes[Index(rank)] != nullptr; }

  // Returns the number of bytes sent.
  Result<size_t> Send(const Outgoing& out, size_t sent) {
    const char* data = static_cast<const char*>(out.data) + sent;
    const size_t bytes = out.bytes - sent;
    if (Shared(out.to)) {
      ShmInbox& inbox = *mesh_.inboxes[Index(out.to)];
      size_t n = inbox.Write(rank_, data, bytes);
      if (n > 0) inbox.Ring();
      return n;
    }
    // A bounded part, so that receiving has its turn: both sides of a pair send
    // at the same time.
    ssize_t n = send(Data(out.to), data, std::min<size_t>(bytes, 4 * kPiece),
                     MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) return static_cast<size_t>(n);
    if (errno == EAGAIN || errno == EINTR) return size_t{0};
    return Broken(out.to);
  }

  // Whether anything was received.
  Result<bool> Receive(const Incoming& in, Receiver& receiver) {
    if (Shared(in.from)) {
      const char* data = nullptr;
      size_t there = mesh_.inbox->Peek(in.from, &data);
      if (there == 0) return false;
      size_t used = receiver.Take(data, there);
      if (used == 0) return false;  // part of an element
      mesh_.inbox->Use(in.from, used);
      mesh_.inboxes[Index(in.from)]->Ring();
      return true;
    }
    ssize_t n =
        recv(Data(in.from), receiver.place(), receiver.room(), MSG_DONTWAIT);
    if (n > 0) {
      receiver.Took(static_cast<size_t>(n));
      return true;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    return Broken(in.from);
  }

  // Waits until one of the given ranks can make progress, or may be able to.
  Status Wait(int to, int from, int64_t deadline) {
    const int64_t left = deadline - NowNanos();
    if (left <= 0) {
      SL_RETURN_IF_ERROR(cause());
      return DeadlineExceeded(
          StrCat("waited for ", NameOf(from >= 0 ? from : to)));
    }
    pollfd waits[2];
    nfds_t sockets = 0;
    bool shared = false;
    for (int peer : {to, from}) {
      if (peer < 0) continue;
      if (Shared(peer)) {
        shared = true;
      } else {
        short events = peer == to ? POLLOUT : POLLIN;
        waits[sockets++] = {Data(peer), events, 0};
      }
    }
    if (!shared) {
      int64_t ms = std::min<int64_t>(left / 1'000'000 + 1, 60'000);
      (void)poll(waits, sockets, static_cast<int>(ms));
      return OkStatus();
    }
    // With one peer of each kind, nothing wakes for both: poll again soon.
    if (sockets > 0) {
      (void)poll(waits, sockets, 1);
    } else {
      uint32_t heard = mesh_.inbox->Listen();
      if (!Moves(to, from)) {
        mesh_.inbox->Sleep(heard, std::min<int64_t>(left, kLookNs));
      }
      mesh_.inbox->Awake();
    }
    SL_RETURN_IF_ERROR(cause());
    // A rank that left has sent everything it will send.
    if (!Moves(to, from)) {
      for (int peer : {from, to}) {
        if (peer >= 0 && Shared(peer) && Left(peer) && !Moves(to, from)) {
          return Broken(peer);
        }
      }
    }
    return OkStatus();
  }

  // Whether shared memory has data to read or space to write.
  bool Moves(int to, int from) const {
    const char* data = nullptr;
    if (from >= 0 && Shared(from) && mesh_.inbox->Peek(from, &data) > 0) {
      return true;
    }
    return to >= 0 && Shared(to) && mesh_.inboxes[Index(to)]->HasRoom(rank_);
  }

  int Data(int rank) const {
    return mesh_.data[static_cast<size_t>(rank)].fd();
  }

  // The data connection to a rank is closed. The rank has given the reason on
  // the control connection, or is dead, which closes that too.
  Status Broken(int peer) {
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::nanoseconds(kGraceNs);
    MutexLock lock(mu_);
    while (cause_.ok() && !left_[static_cast<size_t>(peer)]) {
      if (changed_.wait_until(mu_, until) == std::cv_status::timeout) break;
    }
    SL_RETURN_IF_ERROR(cause_);
    return Status(Code::kUnavailable,
                  left_[static_cast<size_t>(peer)]
                      ? StrCat(NameOf(peer), " has left the group")
                      : StrCat("the connection to ", NameOf(peer), " broke"));
  }

  // Sends to all others that still listen; never blocks for long, because
  // nothing else uses these connections.
  void Tell(const Note& note, const std::string& text) {
    std::string bytes(reinterpret_cast<const char*>(&note), sizeof(note));
    bytes += text;
    MutexLock lock(telling_);
    for (const Socket& s : mesh_.control) {
      if (!s) continue;
      (void)s.Send(bytes.data(), bytes.size(),
                   NowNanos() + int64_t{1} * 1'000'000'000);
    }
  }

  // The thread that reads control connections.
  void Watch() {
    while (!stop_.load()) {
      std::vector<pollfd> waits = {{wake_.fd(), POLLIN, 0}};
      std::vector<int> ranks = {-1};
      for (int r = 0; r < size(); ++r) {
        const Socket& s = mesh_.control[static_cast<size_t>(r)];
        if (!s || Left(r)) continue;
        waits.push_back({s.fd(), POLLIN, 0});
        ranks.push_back(r);
      }
      if (poll(waits.data(), waits.size(), -1) < 0) continue;
      for (size_t i = 1; i < waits.size(); ++i) {
        if (waits[i].revents && !stop_.load()) Hear(ranks[i]);
      }
      if (!cause().ok()) return;
    }
  }

  bool Left(int rank) const {
    MutexLock lock(mu_);
    return left_[static_cast<size_t>(rank)];
  }

  void Hear(int peer) {
    const Socket& s = mesh_.control[static_cast<size_t>(peer)];
    int64_t soon = NowNanos() + kGraceNs;
    Note note;
    std::string text;
    Status heard = s.Receive(&note, sizeof(note), soon);
    if (heard.ok() && note.word == kBye) {
      {
        MutexLock lock(mu_);
        left_[static_cast<size_t>(peer)] = true;
        changed_.notify_all();
      }
      if (mesh_.inbox) mesh_.inbox->Ring();
      return;
    }
    if (heard.ok() && note.word == kAbort && note.bytes <= kMaxText) {
      text.resize(note.bytes);
      heard = s.Receive(text.data(), text.size(), soon);
      if (heard.ok()) {
        Code code = note.code > 0 && note.code <= static_cast<uint32_t>(
                                                      Code::kUnavailable)
                        ? static_cast<Code>(note.code)
                        : Code::kAborted;
        return Poison(Status(code, text));
      }
    }
    Poison(Status(Code::kUnavailable,
                  StrCat(NameOf(peer),
                         " closed its connection: it was killed, or ended "
                         "without leaving the group")));
  }

  const int rank_;
  const TcpMesh mesh_;
  std::vector<char> piece_;  // buffer of the exchanging thread
  Socket wake_;              // an eventfd that ends the watcher
  std::atomic<bool> stop_{false};
  Mutex telling_;  // serializes writes to the control connections
  mutable Mutex mu_;
  std::condition_variable_any changed_;
  Status cause_ SL_GUARDED_BY(mu_);
  std::vector<bool> left_ SL_GUARDED_BY(mu_);
  std::thread watcher_;  // last: it uses all other members
};

}  // namespace

Result<std::unique_ptr<Links>> MeetByTcp(const TcpOptions& options) {
  int size = static_cast<int>(options.addresses.size());
  if (size < 1 || options.rank < 0 || options.rank >= size) {
    return InvalidArgument(StrCat("rank is ", options.rank, " of ", size,
                                  " ranks; wanted 0 to the number of ranks "
                                  "- 1"));
  }
  SL_ASSIGN_OR_RETURN(TcpMesh mesh, MeetRanks(options));
  return std::unique_ptr<Links>(
      std::make_unique<TcpLinks>(options.rank, std::move(mesh)));
}

}  // namespace sluice::collective
