// Tensor transfers between tasks. Part of TaskWorker.
#include <cstring>

#include "sluice/base/caught.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/array_wire.h"
#include "sluice/cluster/fetch_tensor.h"
#include "sluice/cluster/host_memory.h"
#include "sluice/cluster/task_worker_session.h"

namespace sluice::cluster {

std::shared_ptr<Peer> TaskWorker::PeerOf(const TaskInfo& info) {
  std::shared_ptr<Peer> old;  // destroyed without a lock
  MutexLock lock(mu_);
  std::shared_ptr<Peer>& peer = peers_[info.task];
  if (peer && peer->info().incarnation == info.incarnation &&
      peer->info().address == info.address) {
    return peer;
  }
  old = std::move(peer);
  Hello hello;
  hello.from = self_;
  hello.to_incarnation = info.incarnation;
  DescribeOwnMemory(&hello);
  peer = std::make_shared<Peer>(
      info, hello, transport_, options_.transport,
      Peer::Events{
          .frame =
              [this, gate = gate_](Peer&, Frame frame) {
                Gate::Inside inside(*gate);
                if (!inside) return;
                std::shared_ptr<Session> session = Find(frame.session);
                if (!session) return;
                std::shared_ptr<TaskStep> step;
                {
                  MutexLock inner(session->mu);
                  auto it = session->steps.find(frame.step);
                  if (it != session->steps.end()) step = it->second;
                }
                if (!step) return;
                if (frame.kind == FrameKind::kTaken) {
                  step->Taken(frame.key);
                } else if (frame.kind == FrameKind::kCounts &&
                           frame.head.size() == sizeof(int64_t)) {
                  int64_t bytes = 0;
                  std::memcpy(&bytes, frame.head.data(), sizeof(bytes));
                  step->Counts(static_cast<int64_t>(frame.key.tag), bytes);
                }
              },
          .lost =
              [this, gate = gate_](Peer& lost, Status why) {
                Gate::Inside inside(*gate);
                if (inside) Lost(lost.info().task, why);
              }});
  return peer;
}

// Steps that exchange messages with the lost task cannot continue.
void TaskWorker::Lost(const std::string& task, const Status& why) {
  Status status(Code::kUnavailable,
                StrCat("task ", options_.task, " lost its connection to task ",
                       task, ": ", why.message()));
  // Damaged bytes are a cause; a lost task is reported by its master.
  const bool damaged = why.code() == Code::kDataLoss;
  if (damaged) status = why.WithLine(StrCat("from task ", task));
  for (const auto& step : AllSteps()) {
    if (!step->Concerns(task)) continue;
    if (damaged) step->Abort(status);
    StopStep(*step, status);
  }
}

// ---- Receiving ----

StreamEvents TaskWorker::AcceptTensors(std::shared_ptr<Stream> stream) {
  auto from = std::make_shared<Inbound>();
  from->stream = std::move(stream);
  StreamEvents events;
  events.message = [this, from](Payload payload) {
    // A step that waited for it continues on this thread: waking another thread
    // takes longer than most of the work that a small tensor enables.
    StepQueue::Here here(queue_);
    Status status = Guarded([&] {
      return ReadFrames(payload,
                        [&](Frame frame) { Arrive(from, std::move(frame)); });
    });
    if (status.ok()) return here.Run(kHereNanos);
    if (from->greeted) Lost(from->hello.from.task, status);
    from->stream->Close(status);
  };
  events.closed = [this, from](Status why) {
    if (from->greeted && !why.ok()) Lost(from->hello.from.task, why);
    from->stream = nullptr;
    from->peer = nullptr;
  };
  return events;
}

void TaskWorker::Arrive(const std::shared_ptr<Inbound>& from, Frame frame) {
  if (!from->greeted) {
    Result<Hello> hello = Decode<Hello>(frame.head);
    if (frame.kind != FrameKind::kHello || !hello.ok()) {
      return from->stream->Close(
          FailedPrecondition("a stream of tensors begins with a hello"));
    }
    uint64_t own = self().incarnation;
    if (hello->to_incarnation != own) {
      return from->stream->Close(Aborted(StrCat(
          "task ", options_.task, " was restarted: ", hello->from.task,
          " wanted incarnation ", hello->to_incarnation, ", this is ", own)));
    }
    from->hello = *std::move(hello);
    from->greeted = true;
    from->shares_memory = CanReadMemoryOf(from->hello);
    return;
  }
  std::shared_ptr<Session> session = Find(frame.session);
  std::shared_ptr<TaskStep> step =
      session ? StepOf(session, frame.step) : nullptr;
  if (!step) return;  // late: the step is over
  if (frame.kind == FrameKind::kTensor) {
    step->Deliver(frame.key, std::move(frame.tensor), frame.bytes, frame.answer,
                  from->stream);
  } else if (frame.kind == FrameKind::kOffer) {
    FetchOffer(from, std::move(frame), step);
  }
}

void TaskWorker::FetchOffer(const std::shared_ptr<Inbound>& from, Frame frame,
                            const std::shared_ptr<TaskStep>& step) {
  auto fetch = std::make_shared<TensorFetch>();
  fetch->part.session = frame.session;
  fetch->part.step = frame.step;
  fetch->part.tag = frame.key.tag;
  fetch->part.edge = frame.key.edge;
  Status status = Guarded([&]() -> Status {
    constexpr size_t kSize = sizeof(OfferedMemory);
    if (frame.head.size() < kSize) {
      return DataLoss("an offer without an address");
    }
    std::string_view head = frame.head;
    std::memcpy(&fetch->memory, head.data() + head.size() - kSize, kSize);
    head.remove_suffix(kSize);
    SL_ASSIGN_OR_RETURN(fetch->array, ReadArrayShape(&head));
    if (from->shares_memory && fetch->memory.guard_address != 0) {
      fetch->process = from->hello.process;
    }
    if (!from->peer) from->peer = PeerOf(from->hello.from);
    fetch->peer = from->peer;
    fetch->transport = &transport_;
    return OkStatus();
  });
  fetch->done = [this, step, back = from->stream, key = frame.key,
                 task = from->hello.from.task,
                 raw = fetch.get()](const Status& fetched) {
    if (fetched.ok()) {
      return step->Deliver(key, raw->array, raw->array.bytes(), true, back);
    }
    // A lost connection is a consequence; anything else is the cause.
    Status why =
        fetched.WithLine(StrCat("while fetching a tensor from task ", task))
            .WithLine(StrCat("in task ", options_.task));
    if (fetched.code() != Code::kUnavailable) step->Abort(why);
    StopStep(*step, why);
  };
  if (!status.ok()) return fetch->done(status);
  if (fetch->process == 0) return FetchByParts(fetch);
  threads_->Post([fetch] { FetchDirectly(fetch); });
}

// ---- Sending ----

Payload TaskWorker::Fetch(const FetchPart& request) {
  std::shared_ptr<Session> session = Find(request.session);
  std::shared_ptr<TaskStep> step;
  if (session) {
    MutexLock lock(session->mu);
    auto it = session->steps.find(request.step);
    if (it != session->steps.end()) step = it->second;
  }
  MessageKey key{static_cast<uint32_t>(request.edge), request.tag};
  Array array = step ? step->Offered(key) : Array();
  Answer answer;
  if (!array) {
    answer.status = WireStatus(
        Aborted(StrCat("task ", options_.task, " does not offer edge ",
                       request.edge, " of step ", request.step, " any more")));
    return WrapBytes(Encode(answer));
  }
  auto bytes = static_cast<uint64_t>(array.bytes());
  if (request.offset > bytes || request.size > bytes - request.offset) {
    answer.status = WireStatus(OutOfRange(
        StrCat("a part of ", request.size, " bytes from ", request.offset,
               " was asked for; there are ", bytes)));
    return WrapBytes(Encode(answer));
  }
  // Computing the checksum and passing the data to the network takes long.
  transport_.TakesLong();
  Payload part;
  auto owner = std::make_shared<const Array>(array);
  part.Append(Slice{static_cast<const char*>(array.raw()) + request.offset,
                    request.size, owner});
  return WrapBytes(Encode(answer), std::move(part));
}

}  // namespace sluice::cluster
