#include "sluice/cluster/remote_session.h"

#include <algorithm>
#include <cstdlib>

#include "sluice/base/clock.h"
#include "sluice/base/interruption.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/memory_over_tasks.h"
#include "sluice/cluster/message_parts.h"
#include "sluice/cluster/waiting_for.h"
#include "sluice/graph/binary_writer.h"
#include "sluice/passes/prune.h"
#include "sluice/passes/trap_nan.h"

namespace sluice::cluster {

namespace {

constexpr int64_t kOpenMs = 10'000;

// Registered at startup: this program can connect to masters.
[[maybe_unused]] const bool registered = SetConnectMaster(
    [](Graph& graph, const std::string& target, uint64_t seed) {
      return RemoteSession::Connect(graph, target, seed);
    });

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

TransportOptions TransportFromEnvironment() {
  TransportOptions options;
  options.tls.authority = Variable("SLUICE_TLS_CA");
  options.tls.certificate = Variable("SLUICE_TLS_CERT");
  options.tls.key = Variable("SLUICE_TLS_KEY");
  options.tls.job = Variable("SLUICE_TLS_JOB");
  return options;
}

Result<std::string> AddressIn(const std::string& target) {
  constexpr std::string_view kScheme = "grpc://";
  if (target.starts_with(kScheme)) {
    std::string address = target.substr(kScheme.size());
    if (CheckAddress(address).ok()) return address;
  }
  return InvalidArgument(StrCat("\"", target,
                                "\" names no master; wanted such as "
                                "\"grpc://127.0.0.1:7070\""));
}

Result<StatusReply> AskStatus(const std::string& address,
                              const TransportOptions& options) {
  SL_RETURN_IF_ERROR(CheckAddress(address));
  SL_ASSIGN_OR_RETURN(Transport * transport, DefaultTransport());
  SL_ASSIGN_OR_RETURN(std::shared_ptr<Channel> channel,
                      transport->Connect(address, 0, options));
  auto asked = std::make_shared<WaitingFor<Result<StatusReply>>>();
  channel->Call(methods::kStatus, WrapBytes(""), kOpenMs,
                [asked, channel](const Status& status, const Payload& payload) {
                  if (!status.ok()) return asked->Bring(status);
                  asked->Bring(DecodeParcel<StatusReply>(payload));
                });
  channel->HelpUntil([&] { return asked->there(); });
  return asked->Wait();
}

Result<std::unique_ptr<RemoteMaster>> RemoteSession::Connect(
    Graph& graph, const std::string& target, uint64_t seed) {
  return Connect(graph, target, seed, TransportFromEnvironment());
}

Result<std::unique_ptr<RemoteMaster>> RemoteSession::Connect(
    Graph& graph, const std::string& target, uint64_t seed,
    const TransportOptions& options, Transport* transport) {
  std::unique_ptr<RemoteSession> session(
      new RemoteSession(graph, target, seed));
  SL_RETURN_IF_ERROR(session->Open(options, transport));
  return std::unique_ptr<RemoteMaster>(std::move(session));
}

Status RemoteSession::Open(const TransportOptions& options,
                           Transport* transport) {
  SL_ASSIGN_OR_RETURN(std::string address, AddressIn(target_));
  if (!IsLoopback(address) && !options.tls.any() &&
      Variable("SLUICE_INSECURE_ALLOW_REMOTE") != "1") {
    return FailedPrecondition(StrCat(
        "\"", target_,
        "\" is on another machine and no TLS certificates are "
        "given (SLUICE_TLS_CA, SLUICE_TLS_CERT, SLUICE_TLS_KEY); where the "
        "network is safe, set SLUICE_INSECURE_ALLOW_REMOTE=1"));
  }
  if (!transport) {
    SL_ASSIGN_OR_RETURN(transport, DefaultTransport());
  }
  SL_ASSIGN_OR_RETURN(channel_, transport->Connect(address, 0, options));
  auto opened = std::make_shared<WaitingFor<Result<SessionOpened>>>();
  keep_ = channel_->Open(
      methods::kKeepSession,
      {.message =
           [opened](const Payload& payload) {
             opened->Bring(DecodeParcel<SessionOpened>(payload));
           },
       .closed =
           [opened](const Status& why) {
             opened->Bring(why.ok() ? Status(Code::kUnavailable, "it has ended")
                                    : why);
           }});
  KeepSession request;
  request.seed = seed_;
  keep_->Write(WrapBytes(Encode(request)));
  auto answer = opened->WaitFor(options.attach_ms);
  if (!answer) return Gone(DeadlineExceeded("it does not answer"));
  if (!answer->ok()) return Gone(answer->status());
  SL_RETURN_IF_ERROR((*answer)->status.ToStatus());
  session_ = (*answer)->session;
  default_task_ = (*answer)->default_task;
  max_message_bytes_ = options.max_message_bytes;
  // A master answers a step that it has stopped within half of this time.
  patience_ms_ = 2 * (options.keepalive_ms + options.keepalive_timeout_ms);
  if (int64_t theirs = (*answer)->max_message_bytes; theirs > 0) {
    max_message_bytes_ = std::min(max_message_bytes_, theirs);
  }
  return OkStatus();
}

RemoteSession::~RemoteSession() { Close(); }

void RemoteSession::Close() {
  if (closed_.exchange(true)) return;
  for (const std::string& container : partial_.TakeIdle()) {
    ResetContainer request;
    request.container = container;
    request.everywhere = true;
    // No need to wait: a server that is down has lost its state anyway.
    channel_->Call(methods::kReset, WrapBytes(Encode(request)), kOpenMs,
                   [channel = channel_](const Status&, const Payload&) {});
  }
  if (keep_) keep_->Close(OkStatus());
}

Status RemoteSession::Gone(const Status& why) const {
  if (why.code() == Code::kResourceExhausted) return why;
  return Status(
      Code::kUnavailable,
      StrCat("master ", target_, " cannot be reached: ", why.message()));
}

Result<Payload> RemoteSession::Call(const char* method, Payload request,
                                    int64_t timeout_ms) {
  const int64_t limit_ms = timeout_ms > 0 ? timeout_ms + patience_ms_ : 0;
  auto waiting = std::make_shared<WaitingFor<Answered>>();
  CallInParts(channel_, method, std::move(request), max_message_bytes_,
              limit_ms, [waiting](const Status& status, Payload payload) {
                waiting->Bring({status, std::move(payload)});
              });
  channel_->HelpUntil([&] { return waiting->there(); });
  Answered answer = waiting->Wait();
  if (limit_ms > 0 && answer.transport.code() == Code::kDeadlineExceeded) {
    return DeadlineExceeded(StrCat(
        "master ", target_, " did not answer within the step's deadline"));
  }
  if (!answer.transport.ok()) return Gone(answer.transport);
  return std::move(answer.payload);
}

size_t RemoteSession::KeyHash::operator()(const Key& key) const {
  uint64_t h = 0x9e3779b97f4a7c15u;
  for (uint64_t w : key) h = (h ^ w) * 0xff51afd7ed558ccdu + (h >> 29);
  return h;
}

Result<uint64_t> RemoteSession::PreparedFor(std::span<const Value> feeds,
                                            std::span<const Value> fetches,
                                            std::span<Node* const> targets,
                                            ExecutorChoice executor,
                                            bool nan_trap, int64_t timeout_ms) {
  // Nodes are identified by address: the graph never removes one.
  Key key = {static_cast<uint64_t>(executor) << 1 | uint64_t{nan_trap},
             feeds.size(), fetches.size(), targets.size()};
  auto add = [&](const Value& v) {
    key.push_back(reinterpret_cast<uintptr_t>(v.node));
    key.push_back(static_cast<uint64_t>(v.index));
  };
  for (const Value& v : feeds) add(v);
  for (const Value& v : fetches) add(v);
  for (Node* t : targets) key.push_back(reinterpret_cast<uintptr_t>(t));
  {
    MutexLock lock(mu_);
    auto it = prepared_.find(key);
    if (it != prepared_.end()) return it->second;
  }
  std::unique_ptr<Graph> pruned;
  {
    MutexLock lock(graph_.mu());
    SL_ASSIGN_OR_RETURN(pruned, Prune(graph_, feeds, fetches, targets));
  }
  if (nan_trap) SL_RETURN_IF_ERROR(TrapNan(*pruned).status());
  SL_ASSIGN_OR_RETURN(uint64_t id, SendGraph(*pruned, executor, timeout_ms));
  MutexLock lock(mu_);
  return prepared_.emplace(std::move(key), id).first->second;
}

Result<uint64_t> RemoteSession::SendGraph(const Graph& graph,
                                          ExecutorChoice executor,
                                          int64_t timeout_ms) {
  PrepareGraph request;
  request.session = session_;
  request.graph = WriteBinary(graph);
  request.executor = static_cast<uint32_t>(executor);
  request.timeout_ms = timeout_ms;
  SL_ASSIGN_OR_RETURN(
      Payload payload,
      Call(methods::kPrepare, WrapBytes(Encode(request)), timeout_ms));
  SL_ASSIGN_OR_RETURN(Answer answer, DecodeParcel<Answer>(payload));
  SL_RETURN_IF_ERROR(answer.status.ToStatus());
  return answer.id;
}

void RemoteSession::Release(uint64_t prepared) {
  ReleasePrepared request;
  request.session = session_;
  request.prepared = prepared;
  channel_->Call(methods::kRelease, WrapBytes(Encode(request)), 0,
                 [channel = channel_](const Status&, const Payload&) {});
}

Status RemoteSession::Prepare(std::span<const Value> feeds,
                              std::span<const Value> fetches,
                              std::span<Node* const> targets,
                              ExecutorChoice executor) {
  return PreparedFor(feeds, fetches, targets, executor, false, 0).status();
}

Result<std::vector<Array>> RemoteSession::Run(std::span<const Value> fetches,
                                              const FeedList& feeds,
                                              std::span<Node* const> targets,
                                              const RunOptions& options,
                                              RunMetadata* metadata) {
  if (closed_.load()) return Cancelled("the session is closed");
  if (options.loops) {
    return Unimplemented(
        "RunOptions.loops is not for steps in other processes");
  }
  SL_RETURN_IF_ERROR(Interruption::Check());
  const int64_t began = NowNanos();
  std::vector<Value> fed;
  std::vector<Array> arrays;
  for (const auto& [value, array] : feeds) {
    if (!array) return InvalidArgument("a feed is empty");
    fed.push_back(value);
    arrays.push_back(array);
  }
  SL_ASSIGN_OR_RETURN(uint64_t prepared,
                      PreparedFor(fed, fetches, targets, options.executor,
                                  options.nan_trap, options.timeout_ms));
  RunOptions rest = options;
  if (options.timeout_ms > 0) {
    const int64_t gone_ms = (NowNanos() - began) / 1'000'000;
    rest.timeout_ms = std::max<int64_t>(1, options.timeout_ms - gone_ms);
  }
  return RunSent(prepared, arrays, fetches.size(), rest, metadata);
}

Result<std::vector<Array>> RemoteSession::RunSent(
    uint64_t prepared, const std::vector<Array>& arrays, size_t num_results,
    const RunOptions& options, RunMetadata* metadata) {
  RunPrepared request;
  request.session = session_;
  request.prepared = prepared;
  request.request = next_request_.fetch_add(1);
  request.timeout_ms = options.timeout_ms;
  RandomState random{seed_.load(), next_step_.fetch_add(1)};
  if (options.random) random = *options.random;
  request.given_random = true;
  request.seed = random.seed;
  request.calls = random.calls;
  request.trace = options.trace && metadata;
  SL_ASSIGN_OR_RETURN(Payload message, Wrap(Encode(request), arrays));

  // Any cancellation of this run is sent to the master.
  auto stop = std::make_shared<Cancellation>();
  Cancellation::Token token = 0, outer_token = 0;
  stop->Register(&token, [channel = channel_, session = session_,
                          id = request.request, raw = stop.get()] {
    CancelRun cancel;
    cancel.session = session;
    cancel.request = id;
    cancel.why = WireStatus(raw->status());
    channel->Call(methods::kCancel, WrapBytes(Encode(cancel)), 0,
                  [channel](const Status&, const Payload&) {});
  });
  Interruption::Running stoppable(stop);
  Cancellation* outer = options.cancellation.get();
  if (outer && !outer->Register(&outer_token, [stop, c = options.cancellation] {
        stop->Cancel(c->status());
      })) {
    return outer->status();
  }
  Result<Payload> payload =
      Call(methods::kRunPrepared, std::move(message), options.timeout_ms);
  if (outer) (void)outer->Deregister(outer_token);
  (void)stop->Deregister(token);
  SL_RETURN_IF_ERROR(payload.status());
  SL_ASSIGN_OR_RETURN(Parcel parcel, Unwrap(*payload));
  SL_ASSIGN_OR_RETURN(Answer answer, Decode<Answer>(parcel.head));
  SL_RETURN_IF_ERROR(answer.status.ToStatus());
  if (parcel.arrays.size() != num_results) {
    return DataLoss(StrCat("master ", target_, " gave ", parcel.arrays.size(),
                           " results; wanted ", num_results));
  }
  if (request.trace) {
    std::vector<TaskTrace> tasks;
    for (const WireTrace& trace : answer.traces) {
      tasks.push_back(FromWire(trace));
    }
    metadata->stats = {};
    metadata->rows = RowsOf(tasks);
    metadata->chrome_trace = ChromeTrace(tasks);
  }
  return std::move(parcel.arrays);
}

Result<std::unique_ptr<PartialRun>> RemoteSession::Partial(
    std::span<const Value> feeds, std::span<const Value> fetches,
    std::span<Node* const> targets) {
  if (closed_.load()) return Cancelled("the session is closed");
  return partial_.Setup(graph_, feeds, fetches, targets);
}

Result<std::unique_ptr<Graph>> RemoteSession::PrunedFor(
    std::span<const Value> fetches, const FeedList& feeds,
    std::span<Node* const> targets) {
  std::vector<Value> fed;
  std::vector<ValueType> types;
  for (const auto& [value, array] : feeds) {
    if (!array) return InvalidArgument("a feed is empty");
    fed.push_back(value);
    types.push_back({array.dtype(), array.shape()});
  }
  MutexLock lock(graph_.mu());
  return Prune(graph_, fed, fetches, targets, types);
}

Result<std::string> RemoteSession::Explain(std::span<const Value> fetches,
                                           const FeedList& feeds,
                                           std::span<Node* const> targets,
                                           ExecutorChoice executor) {
  PrepareGraph request;
  // The feeds determine shapes, and therefore the bytes sent.
  SL_ASSIGN_OR_RETURN(std::unique_ptr<Graph> pruned,
                      PrunedFor(fetches, feeds, targets));
  request.graph = WriteBinary(*pruned);
  request.session = session_;
  request.executor = static_cast<uint32_t>(executor);
  SL_ASSIGN_OR_RETURN(Payload payload,
                      Call(methods::kExplain, WrapBytes(Encode(request)), 0));
  SL_ASSIGN_OR_RETURN(Explained answer, DecodeParcel<Explained>(payload));
  SL_RETURN_IF_ERROR(answer.status.ToStatus());
  return answer.text;
}

Result<MemoryForecast> RemoteSession::PlanMemory(
    std::span<const Value> fetches, const FeedList& feeds,
    std::span<Node* const> targets) {
  SL_ASSIGN_OR_RETURN(std::unique_ptr<Graph> pruned,
                      PrunedFor(fetches, feeds, targets));
  return MemoryOverTasks(*pruned, default_task_);
}

Status RemoteSession::Reset(const std::string& container) {
  ResetContainer request;
  request.container = container;
  request.everywhere = true;
  SL_ASSIGN_OR_RETURN(Payload payload,
                      Call(methods::kReset, WrapBytes(Encode(request)), 0));
  SL_ASSIGN_OR_RETURN(Answer answer, DecodeParcel<Answer>(payload));
  return answer.status.ToStatus();
}

RandomState RemoteSession::random_state() const {
  return {seed_.load(), next_step_.load()};
}

void RemoteSession::set_random_state(const RandomState& state) {
  seed_ = state.seed;
  next_step_ = state.calls;
}

}  // namespace sluice::cluster
