// RemoteSession: a client's session with a remote master. Each choice of feeds,
// fetches and targets is pruned here and sent once; a run is then one call. The
// session lives as long as the stream that keeps it.
//
// Thread safe. The graph must outlive it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/cluster/cluster_spec.h"
#include "sluice/cluster/messages.h"
#include "sluice/cluster/remote_partial.h"
#include "sluice/cluster/transport.h"
#include "sluice/session/remote_master.h"

namespace sluice::cluster {

class RemoteSession final : public RemoteMaster {
 public:
  // "grpc://host:port". Errors: another form; no answer.
  static Result<std::unique_ptr<RemoteMaster>> Connect(
      Graph& graph, const std::string& target, uint64_t seed);
  static Result<std::unique_ptr<RemoteMaster>> Connect(
      Graph& graph, const std::string& target, uint64_t seed,
      const TransportOptions& options, Transport* transport = nullptr);
  ~RemoteSession() override;

  Result<std::vector<Array>> Run(std::span<const Value> fetches,
                                 const FeedList& feeds,
                                 std::span<Node* const> targets,
                                 const RunOptions& options,
                                 RunMetadata* metadata) override;
  Status Prepare(std::span<const Value> feeds, std::span<const Value> fetches,
                 std::span<Node* const> targets,
                 ExecutorChoice executor) override;
  Result<std::unique_ptr<PartialRun>> Partial(
      std::span<const Value> feeds, std::span<const Value> fetches,
      std::span<Node* const> targets) override;
  Result<std::string> Explain(std::span<const Value> fetches,
                              const FeedList& feeds,
                              std::span<Node* const> targets,
                              ExecutorChoice executor) override;
  Result<MemoryForecast> PlanMemory(std::span<const Value> fetches,
                                    const FeedList& feeds,
                                    std::span<Node* const> targets) override;
  void Close() override;
  Status Reset(const std::string& container) override;
  RandomState random_state() const override;
  void set_random_state(const RandomState& state) override;

  // ---- Steps of graphs built by the session itself: remote_partial.h ----
  uint64_t number() const { return session_; }
  // Sends the graph, whose arguments will be fed and results fetched.
  // timeout_ms: of the first step; 0: none.
  Result<uint64_t> SendGraph(const Graph& graph, ExecutorChoice executor,
                             int64_t timeout_ms);
  Result<std::vector<Array>> RunSent(uint64_t prepared,
                                     const std::vector<Array>& arrays,
                                     size_t num_results,
                                     const RunOptions& options,
                                     RunMetadata* metadata = nullptr);
  void Release(uint64_t prepared);

 private:
  using Key = std::vector<uint64_t>;
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  struct Answered {
    Status transport;
    Payload payload;
  };

  RemoteSession(Graph& graph, std::string target, uint64_t seed)
      : graph_(graph), target_(std::move(target)), seed_(seed) {}
  Status Open(const TransportOptions& options, Transport* transport);
  Result<uint64_t> PreparedFor(std::span<const Value> feeds,
                               std::span<const Value> fetches,
                               std::span<Node* const> targets,
                               ExecutorChoice executor, bool nan_trap,
                               int64_t timeout_ms);
  // Blocks until the answer. Error: of the transport, with the master's name.
  // timeout_ms: of the step; the master gets some extra time.
  Result<Payload> Call(const char* method, Payload request, int64_t timeout_ms);
  Status Gone(const Status& why) const;
  // The part of the graph that such a run needs, with the shapes of its feeds.
  Result<std::unique_ptr<Graph>> PrunedFor(std::span<const Value> fetches,
                                           const FeedList& feeds,
                                           std::span<Node* const> targets);

  Graph& graph_;
  const std::string target_;
  std::shared_ptr<Channel> channel_;
  int64_t max_message_bytes_ = 0;  // the limit of both ends
  int64_t patience_ms_ = 0;        // after a step's deadline
  std::shared_ptr<Stream> keep_;
  uint64_t session_ = 0;
  std::string default_task_;  // the master's
  std::atomic<uint64_t> seed_;
  std::atomic<int64_t> next_step_{1};
  std::atomic<uint64_t> next_request_{1};
  std::atomic<bool> closed_{false};
  mutable Mutex mu_;
  std::unordered_map<Key, uint64_t, KeyHash> prepared_ SL_GUARDED_BY(mu_);
  PartialPlaces partial_{*this};
};

// The status of the server at "host:port". Blocks.
Result<StatusReply> AskStatus(const std::string& address,
                              const TransportOptions& options = {});
// The address in "grpc://host:port". Error: another form.
Result<std::string> AddressIn(const std::string& target);
// TLS files named by SLUICE_TLS_CA, SLUICE_TLS_CERT, SLUICE_TLS_KEY and
// SLUICE_TLS_JOB.
TransportOptions TransportFromEnvironment();

}  // namespace sluice::cluster
