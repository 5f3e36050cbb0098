// The messages between client, master and workers. cluster.proto defines the
// same messages for other programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sluice/cluster/message.h"
#include "sluice/cluster/trace_wire.h"
#include "sluice/session/random_state.h"

namespace sluice::cluster {

// ---- Parts ----

struct WireStatus {
  Code code = Code::kOk;
  std::string message;
  // A consequence of an error elsewhere, which is the cause.
  bool derived = false;
  // The task does not know the session, or no longer.
  bool lost = false;

  WireStatus() = default;
  WireStatus(const Status& status, bool is_derived = false)
      : code(status.code()), message(status.message()), derived(is_derived) {}
  Status ToStatus() const;

  template <class V>
  void Fields(V& v) {
    v(1, code), v(2, message), v(3, derived), v(4, lost);
  }
};

struct TaskInfo {
  std::string task;     // "/job:worker/task:0"
  std::string address;  // "127.0.0.1:4711"
  uint64_t incarnation = 0;

  template <class V>
  void Fields(V& v) {
    v(1, task), v(2, address), v(3, incarnation);
  }
};

struct Gauge {
  std::string name;
  int64_t value = 0;

  template <class V>
  void Fields(V& v) {
    v(1, name), v(2, value);
  }
};

// ---- For any server ----

struct StatusReply {
  TaskInfo self;
  std::vector<Gauge> gauges;
  std::vector<std::string> waits;  // what steps wait for, one line each
  std::vector<TaskInfo> cluster;   // the tasks it knows as a master

  template <class V>
  void Fields(V& v) {
    v(1, self), v(2, gauges), v(3, waits), v(4, cluster);
  }
};

// The answer of methods without a result of their own.
struct Answer {
  WireStatus status;
  uint64_t id = 0;                // of the created object
  std::vector<WireTrace> traces;  // of a run, if requested

  template <class V>
  void Fields(V& v) {
    v(1, status), v(2, id), v(3, traces);
  }
};

// How a run ended; its results follow the answer.
struct RunResult {
  WireStatus status;
  std::vector<Array> values = {};
  std::vector<WireTrace> traces = {};
};
using RunDone = std::function<void(RunResult)>;

// ---- Worker ----

// Opens the stream that keeps a session alive.
struct KeepWorkerSession {
  uint64_t session = 0;
  uint64_t incarnation = 0;  // expected of the worker
  std::string master;        // its task, for messages

  template <class V>
  void Fields(V& v) {
    v(1, session), v(2, incarnation), v(3, master);
  }
};

struct RegisterGraph {
  uint64_t session = 0;
  std::string graph;  // WriteBinary
  uint32_t executor = 0;
  std::vector<TaskInfo> tasks;  // that it exchanges messages with

  template <class V>
  void Fields(V& v) {
    v(1, session), v(2, graph), v(3, executor), v(4, tasks);
  }
};

struct ForgetGraph {
  uint64_t session = 0;
  uint64_t piece = 0;

  template <class V>
  void Fields(V& v) {
    v(1, session), v(2, piece);
  }
};

// Followed by feeds; the answer is followed by results.
struct RunGraph {
  uint64_t session = 0;
  uint64_t piece = 0;
  uint64_t step = 0;
  uint64_t oldest = 0;  // steps before this one are over
  uint64_t seed = 0;
  int64_t calls = 0;
  bool trace = false;

  template <class V>
  void Fields(V& v) {
    v(1, session), v(2, piece), v(3, step), v(4, oldest), v(5, seed);
    v(6, calls), v(7, trace);
  }
};

struct AbortStep {
  uint64_t session = 0;
  uint64_t step = 0;
  WireStatus why;

  template <class V>
  void Fields(V& v) {
    v(1, session), v(2, step), v(3, why);
  }
};

// A part of a large tensor that was offered. The answer's contents are the
// bytes.
struct FetchPart {
  uint64_t session = 0;
  uint64_t step = 0;
  uint64_t tag = 0;
  uint64_t edge = 0;
  uint64_t offset = 0;
  uint64_t size = 0;

  template <class V>
  void Fields(V& v) {
    v(1, session), v(2, step), v(3, tag), v(4, edge), v(5, offset), v(6, size);
  }
};

// ---- Messages in parts: message_parts.h ----

// The next part of a message; its bytes are the contents.
struct PutPart {
  uint64_t id = 0;
  uint64_t offset = 0;
  uint64_t total = 0;

  template <class V>
  void Fields(V& v) {
    v(1, id), v(2, offset), v(3, total);
  }
};

// The stored message is a call of this method, and is answered like one.
struct RunParts {
  uint64_t id = 0;
  std::string method;

  template <class V>
  void Fields(V& v) {
    v(1, id), v(2, method);
  }
};

// The next part of a kept answer; the last one releases it.
struct TakePart {
  uint64_t id = 0;
  uint64_t offset = 0;
  uint64_t size = 0;

  template <class V>
  void Fields(V& v) {
    v(1, id), v(2, offset), v(3, size);
  }
};

// Opens a stream of tensors from one task to another.
struct Hello {
  TaskInfo from;
  uint64_t to_incarnation = 0;
  // For direct reads of the sender's memory by a process of this host.
  std::string host;
  int64_t process = 0;
  uint64_t proof_address = 0;  // address of `proof`
  uint64_t proof = 0;

  template <class V>
  void Fields(V& v) {
    v(1, from), v(2, to_incarnation), v(3, host), v(4, process);
    v(5, proof_address), v(6, proof);
  }
};

// ---- Master ----

struct KeepSession {
  uint64_t seed = 0;

  template <class V>
  void Fields(V& v) {
    v(1, seed);
  }
};

struct SessionOpened {
  WireStatus status;
  uint64_t session = 0;
  std::vector<TaskInfo> tasks;
  std::string default_task;
  int64_t max_message_bytes = 0;  // limit of the server; 0: as the client's

  template <class V>
  void Fields(V& v) {
    v(1, status), v(2, session), v(3, tasks), v(4, default_task);
    v(5, max_message_bytes);
  }
};

// A pruned graph: arguments are fed, results are fetched.
struct PrepareGraph {
  uint64_t session = 0;
  std::string graph;
  uint32_t executor = 0;
  int64_t timeout_ms = 0;  // of the first step; 0: none

  template <class V>
  void Fields(V& v) {
    v(1, session), v(2, graph), v(3, executor), v(4, timeout_ms);
  }
};

// The answer to PrepareGraph with `explain`, and to RegisterGraph.
struct Explained {
  WireStatus status;
  std::string text;

  template <class V>
  void Fields(V& v) {
    v(1, status), v(2, text);
  }
};

struct RunPrepared {
  uint64_t session = 0;
  uint64_t prepared = 0;
  uint64_t request = 0;  // unique in this session
  int64_t timeout_ms = 0;
  bool given_random = false;
  uint64_t seed = 0;
  int64_t calls = 0;
  bool trace = false;

  template <class V>
  void Fields(V& v) {
    v(1, session), v(2, prepared), v(3, request), v(4, timeout_ms);
    v(5, given_random), v(6, seed), v(7, calls), v(8, trace);
  }
};

struct CancelRun {
  uint64_t session = 0;
  uint64_t request = 0;
  WireStatus why;

  template <class V>
  void Fields(V& v) {
    v(1, session), v(2, request), v(3, why);
  }
};

struct ReleasePrepared {
  uint64_t session = 0;
  uint64_t prepared = 0;

  template <class V>
  void Fields(V& v) {
    v(1, session), v(2, prepared);
  }
};

struct ResetContainer {
  std::string container;
  bool everywhere = false;  // on all tasks the server knows, not only itself

  template <class V>
  void Fields(V& v) {
    v(1, container), v(2, everywhere);
  }
};

namespace methods {
inline constexpr char kStatus[] = "/sluice.v1.Worker/GetStatus";
inline constexpr char kKeepWorkerSession[] =
    "/sluice.v1.Worker/KeepWorkerSession";
inline constexpr char kRegister[] = "/sluice.v1.Worker/RegisterGraph";
inline constexpr char kExplainPiece[] = "/sluice.v1.Worker/ExplainPiece";
inline constexpr char kForget[] = "/sluice.v1.Worker/ForgetGraph";
inline constexpr char kRun[] = "/sluice.v1.Worker/RunGraph";
inline constexpr char kAbort[] = "/sluice.v1.Worker/AbortStep";
inline constexpr char kFetch[] = "/sluice.v1.Worker/FetchPart";
inline constexpr char kPutPart[] = "/sluice.v1.Worker/PutPart";
inline constexpr char kRunParts[] = "/sluice.v1.Worker/RunParts";
inline constexpr char kTakePart[] = "/sluice.v1.Worker/TakePart";
inline constexpr char kTensors[] = "/sluice.v1.Worker/Tensors";
inline constexpr char kReset[] = "/sluice.v1.Worker/ResetContainer";
inline constexpr char kKeepSession[] = "/sluice.v1.Master/KeepSession";
inline constexpr char kPrepare[] = "/sluice.v1.Master/PrepareGraph";
inline constexpr char kExplain[] = "/sluice.v1.Master/ExplainGraph";
inline constexpr char kRunPrepared[] = "/sluice.v1.Master/RunPrepared";
inline constexpr char kCancel[] = "/sluice.v1.Master/CancelRun";
inline constexpr char kRelease[] = "/sluice.v1.Master/ReleasePrepared";
inline constexpr char kHealth[] = "/grpc.health.v1.Health/Check";
}  // namespace methods

}  // namespace sluice::cluster
