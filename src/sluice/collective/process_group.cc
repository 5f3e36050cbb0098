#include "sluice/collective/process_group.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <thread>

#include "sluice/base/clock.h"
#include "sluice/base/interruption.h"
#include "sluice/base/started_thread.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/collective/call_card.h"
#include "sluice/collective/ring.h"

namespace sluice::collective {

namespace {

// Whether the group's thread may access these bytes directly.
Status CheckArray(std::string_view name, const Array& x) {
  if (!x) return InvalidArgument(StrCat("[", name, "] got no array"));
  std::string wrong;
  if (!IsPlainData(x.dtype())) wrong = "wanted numbers or bool";
  if (!x.on_host()) wrong = "it is on a device; wanted the host's memory";
  if (!x.contiguous()) wrong = "it is strided; wanted a contiguous array";
  if (wrong.empty()) return OkStatus();
  return InvalidArgument(StrCat("[", name, "] ", x.TypeText(), ": ", wrong));
}

Status CheckParts(std::string_view name, const Array& whole, const Array& part,
                  int ranks) {
  if (whole.dtype() == part.dtype() &&
      whole.num_elements() == part.num_elements() * ranks) {
    return OkStatus();
  }
  return InvalidArgument(StrCat("[", name, "] got ", whole.TypeText(), " for ",
                                ranks, " ranks of ", part.TypeText(),
                                "; wanted one such part for every rank"));
}

// "f32[4]", "f32[4], tag 3".
std::string TextOf(const ProcessGroup::Message& m) {
  std::string text = m.array.TypeText();
  if (m.tag != 0) StrAppend(text, ", tag ", m.tag);
  return text;
}

}  // namespace

struct ProcessGroup::State {
  struct Task {
    uint64_t sequence;
    bool collective;
    CallCard card;
    std::function<Status(Ring&)> run;
    std::shared_ptr<Work::State> work;
  };

  const pid_t process = getpid();
  std::unique_ptr<Links> links;
  GroupOptions options;
  FlightRecorder recorder;
  Mutex mu;
  std::condition_variable_any changed;
  std::deque<Task> queue SL_GUARDED_BY(mu);
  // Numbers of all calls, for the recorder, and of calls that all ranks make.
  uint64_t next SL_GUARDED_BY(mu) = 0, collectives SL_GUARDED_BY(mu) = 0;
  bool busy SL_GUARDED_BY(mu) = false;
  bool stop SL_GUARDED_BY(mu) = false;
  bool left SL_GUARDED_BY(mu) = false;
  std::thread thread;
  // Used by the thread: messages to and from each rank so far.
  std::vector<uint64_t> sent, received;

  State(std::unique_ptr<Links> l, GroupOptions o)
      : links(std::move(l)),
        options(std::move(o)),
        recorder(options.records),
        sent(static_cast<size_t>(links->size())),
        received(static_cast<size_t>(links->size())) {}

  bool Forked() const { return getpid() != process; }

  Work Add(CallCard card, std::function<Status(Ring&)> run,
           bool collective = true) {
    if (Forked()) {
      return Work::Failed(FailedPrecondition(StrCat(
          "[", card.name, "] the group \"", options.name,
          "\" is that of process ", process,
          ", which this one was forked from; wanted a group of its own")));
    }
    auto work = Work::NewState();
    MutexLock lock(mu);
    if (left) {
      return Work::Failed(FailedPrecondition(
          StrCat("[", card.name, "] this rank has left the group \"",
                 options.name, "\"")));
    }
    uint64_t sequence = ++next;
    if (collective) card.sequence = ++collectives;
    recorder.Queue(sequence, card.sequence, card.Text());
    queue.push_back(
        {sequence, collective, std::move(card), std::move(run), work});
    changed.notify_all();
    return Work(work);
  }

  void Main() {
    while (true) {
      Task task;
      {
        MutexLock lock(mu);
        busy = false;
        changed.notify_all();
        while (!stop && queue.empty()) changed.wait(mu);
        if (queue.empty()) return;
        task = std::move(queue.front());
        queue.pop_front();
        busy = true;
      }
      recorder.Set(task.sequence, FlightRecorder::State::kRunning);
      Status status = Run(task);
      recorder.Set(task.sequence, status.ok() ? FlightRecorder::State::kDone
                                              : FlightRecorder::State::kFailed);
      // Releases its arrays before the callback runs.
      task.run = nullptr;
      Work::Finish(*task.work, std::move(status));
    }
  }

  Status Run(const Task& task) {
    Status status = links->cause();
    if (!status.ok()) return Told(task, status);
    Ring ring(*links, NowNanos() + options.timeout_ns);
    if (task.collective) status = Agree(task, ring);
    if (status.ok()) status = task.run(ring);
    if (status.ok()) return status;
    // An earlier cause from elsewhere takes precedence.
    Status before = links->cause();
    if (!before.ok()) return Told(task, before);
    Status own = Status(
        status.code(),
        StrCat(
            "rank ", links->rank(), ", #", task.sequence, " ", task.card.Text(),
            ": ", status.message(),
            status.code() == Code::kDeadlineExceeded
                ? StrCat(" for ",
                         static_cast<double>(options.timeout_ns) * 1e-9, " s")
                : ""));
    if (status.code() == Code::kDeadlineExceeded ||
        status.code() == Code::kFailedPrecondition) {
      Print(own);
    }
    links->Poison(own);
    return Told(task, links->cause());
  }

  // Whether the previous rank calls the same collective. Every rank asks, so at
  // least two of them notice any difference in the ring.
  Status Agree(const Task& task, Ring& ring) {
    if (links->size() == 1) return OkStatus();
    CallCard::Wire mine = task.card.ToWire(), theirs{};
    SL_RETURN_IF_ERROR(ring.PassOn(&mine, &theirs, sizeof(mine)));
    int peer = (links->rank() + links->size() - 1) % links->size();
    return CompareCards(mine, links->NameOf(links->rank()), theirs,
                        links->NameOf(peer));
  }

  // Cards first, so that data of another size is never written.
  Status Pass(const Message& out, const Message& in, SourceLine line,
              int64_t deadline) {
    auto card = [&](const char* name, const Message& m, uint64_t number) {
      CallCard c{name, TextOf(m), "", m.rank, line, number, true};
      return c.ToWire();
    };
    CallCard::Wire mine{}, wanted{}, theirs{};
    Outgoing outgoing;
    Incoming incoming;
    if (out.rank >= 0) {
      mine = card("send", out, ++sent[static_cast<size_t>(out.rank)]);
      outgoing = {out.rank, &mine, sizeof(mine)};
    }
    if (in.rank >= 0) {
      wanted = card("recv", in, ++received[static_cast<size_t>(in.rank)]);
      incoming = {in.rank, &theirs, sizeof(theirs)};
    }
    SL_RETURN_IF_ERROR(links->Exchange(outgoing, incoming, deadline));
    if (in.rank >= 0) {
      SL_RETURN_IF_ERROR(CompareCards(wanted, links->NameOf(links->rank()),
                                      theirs, links->NameOf(in.rank)));
      incoming = {in.rank, in.array.mutable_raw(),
                  static_cast<size_t>(in.array.bytes())};
    }
    if (out.rank >= 0) {
      outgoing = {out.rank, out.array.raw(),
                  static_cast<size_t>(out.array.bytes())};
    }
    return links->Exchange(outgoing, incoming, deadline);
  }

  // The cause as an error of this call.
  Status Told(const Task& task, const Status& cause) const {
    return Status(cause.code(),
                  StrCat("[", task.card.name, "] the group \"", options.name,
                         "\" ended: ", cause.message()));
  }

  void Print(const Status& why) const {
    std::string text = StrCat(
        "sluice: ", why.message(), "\nthe last collectives of rank ",
        links->rank(), " of \"", options.name, "\":\n", recorder.ToString());
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
};

ProcessGroup::ProcessGroup(std::unique_ptr<Links> links, GroupOptions options)
    : state_(new State(std::move(links), std::move(options))) {
  State* state = state_;
  state->thread = StartedThread([state] { state->Main(); });
}

ProcessGroup::~ProcessGroup() {
  if (state_->Forked()) return;  // the threads belong to the parent
  bool unfinished = false;
  {
    MutexLock lock(state_->mu);
    unfinished = state_->busy || !state_->queue.empty();
  }
  if (unfinished) {
    Abort(Aborted(StrCat("rank ", rank(),
                         " ended its group with collectives under way")));
  }
  {
    MutexLock lock(state_->mu);
    state_->stop = true;
    state_->changed.notify_all();
  }
  state_->thread.join();
  delete state_;
}

namespace {

Result<Reduction> ReductionOf(std::string_view name, ReduceOp op, DType dtype) {
  Result<CombineFn> combine = CombinerFor(op, dtype);
  if (!combine.ok()) {
    return InvalidArgument(StrCat("[", name, "] ", combine.status().message()));
  }
  return Reduction{op, dtype, *combine, static_cast<size_t>(DTypeSize(dtype))};
}

}  // namespace

int ProcessGroup::rank() const { return state_->links->rank(); }
int ProcessGroup::size() const { return state_->links->size(); }
const std::string& ProcessGroup::name() const { return state_->options.name; }
const GroupOptions& ProcessGroup::options() const { return state_->options; }

Work ProcessGroup::AllReduce(Array x, ReduceOp op, SourceLine line) {
  constexpr std::string_view kName = "all_reduce";
  if (Status s = CheckArray(kName, x); !s.ok()) return Work::Failed(s);
  Result<Reduction> reduction = ReductionOf(kName, op, x.dtype());
  if (!reduction.ok()) return Work::Failed(reduction.status());
  Reduction r = *reduction;
  return state_->Add(
      {kName, x.TypeText(), ReduceName(op), -1, line}, [x, r](Ring& ring) {
        return ring.AllReduce(x.mutable_raw(), x.num_elements(), r);
      });
}

Work ProcessGroup::AllGather(Array x, Array out, SourceLine line) {
  constexpr std::string_view kName = "all_gather";
  for (const Array& a : {x, out}) {
    if (Status s = CheckArray(kName, a); !s.ok()) return Work::Failed(s);
  }
  if (Status s = CheckParts(kName, out, x, size()); !s.ok()) {
    return Work::Failed(s);
  }
  return state_->Add({kName, x.TypeText(), "", -1, line}, [x, out](Ring& ring) {
    return ring.AllGather(x.raw(), out.mutable_raw(),
                          static_cast<size_t>(x.bytes()));
  });
}

Work ProcessGroup::ReduceScatter(Array x, Array out, ReduceOp op,
                                 SourceLine line) {
  constexpr std::string_view kName = "reduce_scatter";
  for (const Array& a : {x, out}) {
    if (Status s = CheckArray(kName, a); !s.ok()) return Work::Failed(s);
  }
  if (Status s = CheckParts(kName, x, out, size()); !s.ok()) {
    return Work::Failed(s);
  }
  Result<Reduction> reduction = ReductionOf(kName, op, x.dtype());
  if (!reduction.ok()) return Work::Failed(reduction.status());
  Reduction r = *reduction;
  return state_->Add({kName, x.TypeText(), ReduceName(op), -1, line},
                     [x, out, r](Ring& ring) {
                       return ring.ReduceScatter(x.raw(), out.mutable_raw(),
                                                 out.num_elements(), r);
                     });
}

Work ProcessGroup::Broadcast(Array x, int root, SourceLine line) {
  constexpr std::string_view kName = "broadcast";
  if (Status s = CheckArray(kName, x); !s.ok()) return Work::Failed(s);
  if (root < 0 || root >= size()) {
    return Work::Failed(
        InvalidArgument(StrCat("[", kName, "] there is no rank ", root,
                               "; wanted 0 to ", size() - 1)));
  }
  return state_->Add(
      {kName, x.TypeText(), "", root, line}, [x, root](Ring& ring) {
        return ring.Broadcast(x.mutable_raw(), static_cast<size_t>(x.bytes()),
                              root);
      });
}

Work ProcessGroup::AllToAll(Array x, Array out, SourceLine line) {
  constexpr std::string_view kName = "all_to_all";
  for (const Array& a : {x, out}) {
    if (Status s = CheckArray(kName, a); !s.ok()) return Work::Failed(s);
  }
  if (x.dtype() != out.dtype() || x.num_elements() != out.num_elements() ||
      x.num_elements() % size() != 0) {
    return Work::Failed(InvalidArgument(
        StrCat("[", kName, "] got ", x.TypeText(), " into ", out.TypeText(),
               "; wanted one type and size, in ", size(), " equal parts")));
  }
  return state_->Add({kName, x.TypeText(), "", -1, line}, [x, out](Ring& ring) {
    return ring.AllToAll(x.raw(), out.mutable_raw(),
                         static_cast<size_t>(x.bytes() / ring.size()));
  });
}

Work ProcessGroup::Barrier(SourceLine line) {
  return state_->Add({"barrier", "", "", -1, line},
                     [](Ring& ring) { return ring.Barrier(); });
}

Work ProcessGroup::SendReceive(Message out, Message in, SourceLine line) {
  const std::string_view name = out.rank < 0  ? "recv"
                                : in.rank < 0 ? "send"
                                              : "send_recv";
  for (const Message* m : {&out, &in}) {
    if (m->rank < 0) continue;
    if (m->rank >= size() || m->rank == rank()) {
      return Work::Failed(InvalidArgument(
          StrCat("[", name, "] got rank ", m->rank, " on rank ", rank(), " of ",
                 size(), "; wanted another one of them")));
    }
    if (Status s = CheckArray(name, m->array); !s.ok()) return Work::Failed(s);
  }
  if (out.rank < 0 && in.rank < 0) return {};
  const Message& named = out.rank >= 0 ? out : in;
  CallCard card{name, TextOf(named), "", named.rank, line};
  card.message = true;
  State* state = state_;
  return state_->Add(
      card,
      [state, out, in, line](Ring& ring) {
        return state->Pass(out, in, line, ring.deadline());
      },
      /*collective=*/false);
}

void ProcessGroup::Abort(Status cause) {
  if (!state_->Forked()) state_->links->Poison(std::move(cause));
}

Status ProcessGroup::cause() const { return state_->links->cause(); }

Status ProcessGroup::Leave() {
  if (state_->Forked()) return OkStatus();
  {
    MutexLock lock(state_->mu);
    if (state_->left) return OkStatus();
    state_->left = true;
    while (state_->busy || !state_->queue.empty()) {
      // Ctrl-C is polled: a signal wakes no thread.
      state_->changed.wait_for(state_->mu, std::chrono::milliseconds(50));
      if (!state_->busy && state_->queue.empty()) break;
      SL_RETURN_IF_ERROR(Interruption::Check());
    }
  }
  state_->links->Leave();
  return state_->links->cause();
}

std::vector<CollectiveTime> ProcessGroup::Times() const {
  return state_->recorder.Times();
}

std::string ProcessGroup::FlightRecord() const {
  return state_->recorder.ToString();
}

}  // namespace sluice::collective
