#include "sluice/collective/tcp_mesh.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"

namespace sluice::collective {

namespace {

// The first four bytes identify the protocol and its version.
constexpr uint32_t kMagic = 0x31464c53;  // "SLF1", also the byte order
constexpr uint32_t kMaxText = 1 << 16;
constexpr int kMostSharing = 64;
// How often waiting ranks check that the connected ones are still alive.
constexpr int64_t kLookNs = int64_t{200} * 1'000'000;

// The first message of a rank to rank 0.
struct Hello {
  uint32_t magic = kMagic;
  int32_t rank = 0;
  int32_t size = 0;
  int32_t port = 0;  // port where it listens
  int64_t process = 0;
  uint64_t name = 0;  // hash of the group's name
};

// Rank 0's answer: the text of a refusal, or a table of all ranks.
struct Answer {
  uint32_t magic = kMagic;
  uint32_t text = 0;     // bytes of a refusal that follows; 0: the table
  uint64_t session = 0;  // later connections name it: none of an older run
};
struct Row {
  int32_t port = 0;
  int32_t unused = 0;
  int64_t process = 0;
};

// The first message of every later connection.
enum Kind : int32_t { kData = 1, kControl = 2 };
struct Opening {
  uint32_t magic = kMagic;
  int32_t kind = 0;
  int32_t rank = 0;
  int32_t unused = 0;
  uint64_t session = 0;
};

uint64_t HashOf(std::string_view text) {
  uint64_t h = 14695981039346656037u;
  for (char c : text) h = (h ^ static_cast<uint8_t>(c)) * 1099511628211u;
  return h;
}

Status WithWhat(const Status& status, std::string_view what) {
  return Status(status.code(), StrCat(what, ": ", status.message()));
}

class Meeting {
 public:
  explicit Meeting(const TcpOptions& options)
      : o_(options),
        size_(static_cast<int>(options.addresses.size())),
        deadline_(NowNanos() + options.timeout_ns),
        rows_(options.addresses.size()) {
    mesh_.data.resize(options.addresses.size());
    mesh_.control.resize(options.addresses.size());
  }

  Result<TcpMesh> Run() {
    for (const std::string& address : o_.addresses) {
      std::string host;
      int port = 0;
      SL_RETURN_IF_ERROR(SplitAddress(address, &host, &port));
      hosts_.push_back(host);
      ports_.push_back(port);
    }
    if (o_.listener >= 0) {
      listener_ = Socket(o_.listener);
      (void)fcntl(o_.listener, F_SETFD, FD_CLOEXEC);
      rows_[At(o_.rank)].port = ports_[At(o_.rank)];
    } else {
      SL_ASSIGN_OR_RETURN(
          listener_, Listen(hosts_[At(o_.rank)], o_.rank == 0 ? ports_[0] : 0,
                            &rows_[At(o_.rank)].port));
    }
    rows_[At(o_.rank)].process = getpid();
    SL_RETURN_IF_ERROR(o_.rank == 0 ? Gather() : Report());
    for (int r = 0; r < size_; ++r) {
      mesh_.names.push_back(StrCat("rank ", r, " (", hosts_[At(r)],
                                   ", process ", rows_[At(r)].process, ")"));
    }
    SL_RETURN_IF_ERROR(ConnectLower());
    SL_RETURN_IF_ERROR(AcceptHigher());
    SL_RETURN_IF_ERROR(ShareMemory());
    return std::move(mesh_);
  }

 private:
  static size_t At(int rank) { return static_cast<size_t>(rank); }

  // Rank 0: accepts every other rank and sends it the table of addresses.
  Status Gather() {
    for (int there = 1; there < size_;) {
      Result<Socket> came = AcceptNext();
      if (!came.ok()) return WithWhat(came.status(), Missing());
      Hello hello;
      // A foreign connection may send nothing; the wait for it is short.
      Status heard = came->Receive(
          &hello, sizeof(hello),
          std::min(deadline_, NowNanos() + int64_t{5} * 1'000'000'000));
      if (!heard.ok() || hello.magic != kMagic) continue;
      if (std::string wrong = WhyNot(hello); !wrong.empty()) {
        Refuse(*came, wrong);
        continue;
      }
      rows_[At(hello.rank)] = {hello.port, 0, hello.process};
      mesh_.control[At(hello.rank)] = std::move(*came);
      ++there;
    }
    std::random_device seed;
    session_ = (static_cast<uint64_t>(seed()) << 32) | seed();
    Answer answer;
    answer.session = session_;
    for (int r = 1; r < size_; ++r) {
      const Socket& to = mesh_.control[At(r)];
      Status sent = to.Send(&answer, sizeof(answer), deadline_);
      if (sent.ok()) {
        sent = to.Send(rows_.data(), rows_.size() * sizeof(Row), deadline_);
      }
      if (!sent.ok()) return WithWhat(sent, StrCat("rank ", r));
    }
    return OkStatus();
  }

  // Checks the connected ranks while it waits: with a dead rank, the group
  // would never be complete.
  Result<Socket> AcceptNext() const {
    return WhileAllStay(Code::kDeadlineExceeded, [&](int64_t until) {
      return Accept(listener_, until);
    });
  }

  // Retries after such an error until the deadline, and checks the other ranks
  // from time to time.
  template <class F>
  Result<Socket> WhileAllStay(Code again, const F& attempt) const {
    while (true) {
      for (int r = 0; r < size_; ++r) {
        const Socket& s = mesh_.control[At(r)];
        if (!s || !s.Ended()) continue;
        return Status(Code::kUnavailable,
                      StrCat("rank ", r, " (", hosts_[At(r)], ", process ",
                             rows_[At(r)].process,
                             ") closed its connection before all had met: it "
                             "was killed, or gave up"));
      }
      const int64_t until = std::min(deadline_, NowNanos() + kLookNs);
      Result<Socket> found = attempt(until);
      if (found.ok() || found.status().code() != again) return found;
      if (NowNanos() >= deadline_) return found;
    }
  }

  std::string Missing() const {
    std::vector<int> missing;
    for (int r = 1; r < size_; ++r) {
      if (!mesh_.control[At(r)]) missing.push_back(r);
    }
    return StrCat("rank 0 at ", o_.addresses[0], " waited for rank",
                  missing.size() > 1 ? "s " : " ", Join(missing, ", "), " of ",
                  size_);
  }

  std::string WhyNot(const Hello& hello) const {
    if (hello.name != HashOf(o_.name)) {
      return StrCat("rank 0 is of the group \"", o_.name,
                    "\"; wanted a group of the same name");
    }
    if (hello.size != size_) {
      return StrCat("rank ", hello.rank, " is of ", hello.size,
                    " ranks, rank 0 of ", size_, "; wanted as many");
    }
    if (hello.rank <= 0 || hello.rank >= size_) {
      return StrCat("there is no rank ", hello.rank, " of ", size_);
    }
    if (mesh_.control[At(hello.rank)]) {
      return StrCat("rank ", hello.rank, " is there already: process ",
                    rows_[At(hello.rank)].process, "; wanted every rank once");
    }
    return "";
  }

  void Refuse(const Socket& whom, const std::string& why) const {
    Answer answer;
    answer.text = static_cast<uint32_t>(why.size());
    int64_t soon = NowNanos() + int64_t{1} * 1'000'000'000;
    if (whom.Send(&answer, sizeof(answer), soon).ok()) {
      (void)whom.Send(why.data(), why.size(), soon);
    }
  }

  Status Report() {
    const std::string at = StrCat("rank 0 at ", o_.addresses[0]);
    Result<Socket> found = Connect(hosts_[0], ports_[0], deadline_);
    if (!found.ok()) return WithWhat(found.status(), at);
    Hello hello;
    hello.rank = o_.rank;
    hello.size = size_;
    hello.port = rows_[At(o_.rank)].port;
    hello.process = getpid();
    hello.name = HashOf(o_.name);
    Answer answer;
    Status status = found->Send(&hello, sizeof(hello), deadline_);
    if (status.ok()) {
      status = found->Receive(&answer, sizeof(answer), deadline_);
    }
    if (!status.ok()) return WithWhat(status, at);
    if (answer.magic != kMagic || answer.text > kMaxText) {
      return FailedPrecondition(
          StrCat(at, ": somebody else listens there, or another version"));
    }
    if (answer.text > 0) {
      std::string why(answer.text, ' ');
      SL_RETURN_IF_ERROR(found->Receive(why.data(), why.size(), deadline_));
      return FailedPrecondition(
          StrCat(at, " refused rank ", o_.rank, ": ", why));
    }
    session_ = answer.session;
    status =
        found->Receive(rows_.data(), rows_.size() * sizeof(Row), deadline_);
    if (!status.ok()) return WithWhat(status, at);
    mesh_.control[0] = std::move(*found);
    return OkStatus();
  }

  // Connecting does not require the other rank to accept, so there is no
  // deadlock.
  Status ConnectLower() {
    for (int r = 0; r < o_.rank; ++r) {
      for (Kind kind : {kControl, kData}) {
        if (kind == kControl && r == 0) continue;  // connected already
        Result<Socket> made =
            WhileAllStay(Code::kUnavailable, [&](int64_t until) {
              return Connect(hosts_[At(r)], rows_[At(r)].port, until);
            });
        if (!made.ok()) return WithWhat(made.status(), mesh_.names[At(r)]);
        Opening opening;
        opening.kind = kind;
        opening.rank = o_.rank;
        opening.session = session_;
        Status sent = made->Send(&opening, sizeof(opening), deadline_);
        if (!sent.ok()) return WithWhat(sent, mesh_.names[At(r)]);
        (kind == kData ? mesh_.data : mesh_.control)[At(r)] = std::move(*made);
      }
    }
    return OkStatus();
  }

  Status AcceptHigher() {
    int wanted = (size_ - 1 - o_.rank) * (o_.rank == 0 ? 1 : 2);
    while (wanted > 0) {
      Result<Socket> came = AcceptNext();
      if (!came.ok()) {
        return WithWhat(came.status(), StrCat("rank ", o_.rank,
                                              " waited for the connections "
                                              "of higher ranks"));
      }
      Opening opening;
      Status heard = came->Receive(
          &opening, sizeof(opening),
          std::min(deadline_, NowNanos() + int64_t{5} * 1'000'000'000));
      if (!heard.ok() || opening.magic != kMagic ||
          opening.session != session_ || opening.rank <= o_.rank ||
          opening.rank >= size_) {
        continue;  // of another run
      }
      Socket& place = (opening.kind == kData ? mesh_.data
                                             : mesh_.control)[At(opening.rank)];
      if (place) continue;
      place = std::move(*came);
      --wanted;
    }
    return OkStatus();
  }

  // Ranks of one host share memory if both can; they tell each other.
  Status ShareMemory() {
    mesh_.inboxes.resize(rows_.size());
    auto name = [&](int rank) {
      return ShmInbox::Name(rows_[At(rank)].process,
                            StrCat(session_, "-", rank));
    };
    auto near = [&](int rank) {
      return rank != o_.rank && hosts_[At(rank)] == hosts_[At(o_.rank)];
    };
    // Every inbox has space for all ranks, so very many ranks share none.
    bool some = false;
    for (int r = 0; r < size_; ++r) some = some || near(r);
    if (!some) return OkStatus();
    if (o_.shared_memory && size_ <= kMostSharing) {
      auto made = ShmInbox::Create(name(o_.rank), size_);
      if (made.ok()) mesh_.inbox = std::move(*made);
    }
    // When all ranks of this host have an inbox, they open each other's; when
    // all are opened, the names are removed.
    Status status = TellNear(near, [&](int) { return mesh_.inbox != nullptr; });
    for (int r = 0; status.ok() && r < size_; ++r) {
      if (!near(r) || !told_[At(r)] || !mesh_.inbox) continue;
      auto opened = ShmInbox::Open(name(r), size_);
      if (opened.ok()) mesh_.inboxes[At(r)] = std::move(*opened);
    }
    if (status.ok()) {
      status = TellNear(near,
                        [&](int r) { return mesh_.inboxes[At(r)] != nullptr; });
    }
    // Also if a rank has disappeared in the meantime.
    if (mesh_.inbox) ShmInbox::Unlink(name(o_.rank));
    SL_RETURN_IF_ERROR(status);
    for (int r = 0; r < size_; ++r) {
      if (!told_[At(r)]) mesh_.inboxes[At(r)] = nullptr;
    }
    return OkStatus();
  }

  // Sends a yes or no to each rank on this host, and stores theirs in told_.
  template <class Near, class Says>
  Status TellNear(const Near& near, const Says& says) {
    told_.assign(rows_.size(), false);
    for (int r = 0; r < size_; ++r) {
      if (!near(r)) continue;
      char mine = says(r) ? 1 : 0;
      Status sent = mesh_.data[At(r)].Send(&mine, 1, deadline_);
      if (!sent.ok()) return WithWhat(sent, mesh_.names[At(r)]);
    }
    for (int r = 0; r < size_; ++r) {
      if (!near(r)) continue;
      char theirs = 0;
      Status heard = mesh_.data[At(r)].Receive(&theirs, 1, deadline_);
      if (!heard.ok()) return WithWhat(heard, mesh_.names[At(r)]);
      told_[At(r)] = theirs == 1;
    }
    return OkStatus();
  }

  const TcpOptions& o_;
  const int size_;
  const int64_t deadline_;
  std::vector<Row> rows_;
  std::vector<std::string> hosts_;
  std::vector<int> ports_;
  Socket listener_;
  uint64_t session_ = 0;
  std::vector<bool> told_;
  TcpMesh mesh_;
};

}  // namespace

Result<TcpMesh> MeetRanks(const TcpOptions& options) {
  return Meeting(options).Run();
}

}  // namespace sluice::collective
