// Session: runs steps of a graph, and holds the state they leave behind.
//
//   sl::Session session(graph);
//   session.run(init);                                  // an operation
//   sl::Array y = session.run(loss, {{x, images}});     // one value
//   auto both = session.run({loss, step}, {{x, images}}, {train});
//
// Any value of the graph may be fed or fetched, by handle or by name ("x:0");
// only what that needs is run. The first run of a choice makes a plan, later
// ones use it. The graph may grow meanwhile.
//
// Session(graph, "grpc://host:port") runs the steps on the tasks of a cluster,
// led by the server at that address; state is kept there.
//
// Throws sluice::Error; the text names the op, the user's line and operands.
// Thread safe: any number of runs at once, from any threads. The graph must
// outlive the session, and the session its Callables and PartialSteps.
#pragma once

#include <concepts>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/front/feed.h"
#include "sluice/plan/memory_forecast.h"
#include "sluice/session/run_options.h"

namespace sluice {

class LocalMaster;
class PartialRun;
class Program;
class RemoteMaster;

// Where a session puts what its graph leaves open, among the devices of this
// process. explain() tells for each node what was asked, chosen, and why.
struct SessionPlacement {
  // Nodes that name no device go where a step is predicted to end earliest: by
  // the devices' speeds, links and limits, and by what traced runs measured.
  // Off: to the default device.
  bool search = false;
  // Where a named device is not there, or has no kernel for the node, another
  // one is taken. Off: that is an error.
  bool soft = true;
};

struct SessionOptions {
  // Threads that run steps, the caller of run() among them. 0: those of the
  // process, one per core it may use (SLUICE_THREADS says otherwise).
  int threads = 0;
  // Of everything random. Equal seeds give equal results.
  uint64_t seed = 0;
  // A server that leads the steps: "grpc://host:port". Empty: this process.
  std::string target{};
  // For steps that run in this process.
  SessionPlacement placement{};
};

// One choice of feeds, fetches and targets, prepared: no lookups per call.
// Made by Session::prepare. Thread safe, like the session.
class Callable {
 public:
  Callable() = default;
  // Feeds in the order they were prepared in; one result per fetch.
  std::vector<Array> operator()(std::vector<Array> feeds = {},
                                const RunOptions& options = {},
                                RunMetadata* metadata = nullptr) const;

 private:
  friend class Session;
  struct Remote;  // of a session elsewhere
  LocalMaster* master_ = nullptr;
  std::shared_ptr<Program> program_;
  std::shared_ptr<const Remote> remote_;
};

// One step that is fed and fetched in several calls; what was computed stays.
// Made by Session::partial_run. Dropping it cancels the step. One call at a
// time.
class PartialStep {
 public:
  PartialStep(PartialStep&&) noexcept;
  PartialStep& operator=(PartialStep&&) noexcept;
  ~PartialStep();

  std::vector<Array> run(const std::vector<Fetch>& fetches,
                         const Feeds& feeds = {});

 private:
  friend class Session;
  PartialStep(Graph& graph, std::unique_ptr<PartialRun> run);
  Graph* graph_;
  std::unique_ptr<PartialRun> run_;
};

class Session {
 public:
  explicit Session(Graph& graph, SessionOptions options = {});
  // A template, so that lists in braces are options.
  template <std::convertible_to<std::string_view> Target>
  Session(Graph& graph, const Target& target, SessionOptions options = {})
      : Session(graph, At(target, std::move(options))) {}
  // Shares the state (variables, queues, ...) of another session, by the names
  // of containers and resources.
  Session(Graph& graph, Session& shared, SessionOptions options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Array run(const Fetch& fetch, const Feeds& feeds = {},
            const RunOptions& options = {}, RunMetadata* metadata = nullptr);
  std::vector<Array> run(std::initializer_list<Fetch> fetches,
                         const Feeds& feeds = {},
                         const std::vector<Operation>& targets = {},
                         const RunOptions& options = {},
                         RunMetadata* metadata = nullptr);
  std::vector<Array> run(const std::vector<Fetch>& fetches,
                         const Feeds& feeds = {},
                         const std::vector<Operation>& targets = {},
                         const RunOptions& options = {},
                         RunMetadata* metadata = nullptr);
  void run(const Operation& target, const Feeds& feeds = {},
           const RunOptions& options = {}, RunMetadata* metadata = nullptr);

  Callable prepare(const std::vector<Fetch>& fetches,
                   const std::vector<Fetch>& feeds = {},
                   const std::vector<Operation>& targets = {},
                   ExecutorChoice executor = ExecutorChoice::kAuto);
  PartialStep partial_run(const std::vector<Fetch>& feeds,
                          const std::vector<Fetch>& fetches,
                          const std::vector<Operation>& targets = {});

  // What such a run looks like inside (islands, fused loops, bytes) and why.
  std::string explain(const Fetch& fetch, const Feeds& feeds = {});
  std::string explain(const Operation& target, const Feeds& feeds = {});

  // What such a run has live at most, on each device and by the user's lines,
  // before it runs: see plan/memory_forecast.h. ToString() prints it.
  MemoryForecast plan_memory(const std::vector<Fetch>& fetches,
                             const Feeds& feeds = {},
                             const std::vector<Operation>& targets = {});

  // Cancels what runs, refuses what comes.
  void close();
  // Drops everything in a container; the empty name is the default one.
  void reset(std::string_view container = "");

  // Where the random numbers of the next run come from: a checkpoint keeps it,
  // and a session that is given it goes on as the first would have.
  RandomState random_state() const;
  void set_random_state(const RandomState& state);

  Graph& graph() const;
  // REQUIRES: the steps are run in this process; throws otherwise.
  LocalMaster& master() const;
  // The master elsewhere; null when there is none.
  RemoteMaster* remote() const;

 private:
  static SessionOptions At(std::string_view target, SessionOptions options) {
    options.target = target;
    return options;
  }
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice
