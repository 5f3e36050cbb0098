#include "sluice/front/session.h"

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/other_graph.h"
#include "sluice/session/local_master.h"
#include "sluice/session/partial_run.h"
#include "sluice/session/remote_master.h"

namespace sluice {

namespace {

constexpr int kMaxThreads = 1024;

std::unique_ptr<WorkerPool> MakePool(int threads) {
  if (threads < 0 || threads > kMaxThreads) {
    throw Error(InvalidArgument(StrCat("SessionOptions.threads is ", threads,
                                       "; wanted 0 to ", kMaxThreads)));
  }
  return threads == 0 ? nullptr : std::make_unique<WorkerPool>(threads);
}

MasterOptions ForMaster(const SessionOptions& options, WorkerPool* pool,
                        const std::shared_ptr<ResourceManager>& state) {
  MasterOptions master{options.seed, pool, state};
  master.placement.search = options.placement.search;
  master.placement.soft = options.placement.soft;
  return master;
}

// Tasks place what they get by rules of their own.
void CheckRemote(const SessionOptions& options) {
  if (!options.placement.search && options.placement.soft) return;
  throw Error(Unimplemented(StrCat(
      "SessionOptions.placement says ",
      options.placement.search ? "search" : "not soft",
      ", which is for sessions of this process; this one's steps run at \"",
      options.target, "\"")));
}

std::vector<Value> ValuesOf(Graph& graph, std::span<const Fetch> fetches) {
  std::vector<Value> values;
  values.reserve(fetches.size());
  for (const Fetch& f : fetches) values.push_back(ValueOrThrow(f.In(graph)));
  return values;
}

std::vector<Node*> NodesOf(Graph& graph, std::span<const Operation> targets) {
  std::vector<Node*> nodes;
  nodes.reserve(targets.size());
  for (const Operation& t : targets) {
    Node& node = t.node();
    if (&t.graph() != &graph) {
      throw Error(InvalidArgument(front_internal::OtherGraph(
          t.name(), node, t.graph(), graph, "an operation of the session's")));
    }
    ThrowIfError(InNoRegion(node));
    nodes.push_back(&node);
  }
  return nodes;
}

FeedList FeedsOf(Graph& graph, const Feeds& feeds) {
  FeedList list;
  list.reserve(feeds.size());
  for (const Feed& feed : feeds) {
    Value to = ValueOrThrow(feed.to.In(graph));
    Array value = feed.value.value();
    // What does not fit stays as it is: the run says what it wanted.
    if (value && value.dtype() != to.dtype()) {
      if (Result<Array> as = feed.value.As(to.dtype()); as.ok()) value = *as;
    }
    list.emplace_back(to, std::move(value));
  }
  return list;
}

}  // namespace

// One of the two masters is there.
struct Session::Impl {
  Impl(Graph& its_graph, const SessionOptions& options,
       std::shared_ptr<ResourceManager> state)
      : graph(its_graph),
        resources(std::move(state)),
        pool(MakePool(options.threads)) {
    if (options.target.empty()) {
      local.emplace(graph, ForMaster(options, pool.get(), resources));
    } else {
      CheckRemote(options);
      remote =
          ValueOrThrow(ConnectToMaster(graph, options.target, options.seed));
    }
  }
  // For what only a session of this process can do.
  LocalMaster& Local(std::string_view what) {
    if (!local) {
      throw Error(Unimplemented(
          StrCat(what,
                 " is for sessions of this process; this one's steps run in a "
                 "cluster")));
    }
    return *local;
  }
  std::vector<Array> Run(std::span<const Value> fetches, const FeedList& feeds,
                         std::span<Node* const> targets,
                         const RunOptions& options, RunMetadata* metadata) {
    return ValueOrThrow(
        remote ? remote->Run(fetches, feeds, targets, options, metadata)
               : local->Run(fetches, feeds, targets, options, metadata));
  }
  std::string Explain(std::span<const Value> fetches, const FeedList& feeds,
                      std::span<Node* const> targets) {
    return ValueOrThrow(
        remote ? remote->Explain(fetches, feeds, targets, ExecutorChoice::kAuto)
               : local->Explain(fetches, feeds, targets));
  }

  Graph& graph;
  std::shared_ptr<ResourceManager> resources;
  std::unique_ptr<WorkerPool> pool;  // null: the process's
  std::optional<LocalMaster> local;
  std::unique_ptr<RemoteMaster> remote;
};

// A choice of a session elsewhere.
struct Callable::Remote {
  RemoteMaster* master;
  std::vector<Value> feeds, fetches;
  std::vector<Node*> targets;
  ExecutorChoice executor;
};

Session::Session(Graph& graph, SessionOptions options)
    : impl_(std::make_unique<Impl>(graph, options,
                                   std::make_shared<ResourceManager>())) {}

Session::Session(Graph& graph, Session& shared, SessionOptions options)
    : impl_(std::make_unique<Impl>(graph, options, shared.impl_->resources)) {}

Session::~Session() = default;

namespace {

// An open NanTrap holds for steps, too.
RunOptions Trapped(RunOptions options) {
  options.nan_trap |= front_internal::EagerMode::Current().nan_trap;
  return options;
}

}  // namespace

std::vector<Array> Session::run(const std::vector<Fetch>& fetches,
                                const Feeds& feeds,
                                const std::vector<Operation>& targets,
                                const RunOptions& options,
                                RunMetadata* metadata) {
  Graph& g = graph();
  std::vector<Value> values = ValuesOf(g, fetches);
  std::vector<Node*> nodes = NodesOf(g, targets);
  return impl_->Run(values, FeedsOf(g, feeds), nodes, Trapped(options),
                    metadata);
}

std::vector<Array> Session::run(std::initializer_list<Fetch> fetches,
                                const Feeds& feeds,
                                const std::vector<Operation>& targets,
                                const RunOptions& options,
                                RunMetadata* metadata) {
  return run(std::vector<Fetch>(fetches), feeds, targets, options, metadata);
}

Array Session::run(const Fetch& fetch, const Feeds& feeds,
                   const RunOptions& options, RunMetadata* metadata) {
  Graph& g = graph();
  Value value = ValueOrThrow(fetch.In(g));
  std::vector<Array> results = impl_->Run({&value, 1}, FeedsOf(g, feeds), {},
                                          Trapped(options), metadata);
  return std::move(results[0]);
}

void Session::run(const Operation& target, const Feeds& feeds,
                  const RunOptions& options, RunMetadata* metadata) {
  Graph& g = graph();
  std::vector<Node*> nodes = NodesOf(g, {&target, 1});
  impl_->Run({}, FeedsOf(g, feeds), nodes, Trapped(options), metadata);
}

Callable Session::prepare(const std::vector<Fetch>& fetches,
                          const std::vector<Fetch>& feeds,
                          const std::vector<Operation>& targets,
                          ExecutorChoice executor) {
  Graph& g = graph();
  Callable callable;
  if (impl_->remote) {
    auto remote = std::make_shared<Callable::Remote>(
        Callable::Remote{impl_->remote.get(), ValuesOf(g, feeds),
                         ValuesOf(g, fetches), NodesOf(g, targets), executor});
    ThrowIfError(impl_->remote->Prepare(remote->feeds, remote->fetches,
                                        remote->targets, executor));
    callable.remote_ = std::move(remote);
    return callable;
  }
  callable.master_ = &*impl_->local;
  callable.program_ = ValueOrThrow(impl_->local->ProgramFor(
      ValuesOf(g, feeds), ValuesOf(g, fetches), NodesOf(g, targets), executor));
  return callable;
}

std::vector<Array> Callable::operator()(std::vector<Array> feeds,
                                        const RunOptions& options,
                                        RunMetadata* metadata) const {
  if (remote_) {
    if (feeds.size() != remote_->feeds.size()) {
      throw Error(
          InvalidArgument(StrCat("this Callable takes ", remote_->feeds.size(),
                                 " feeds, got ", feeds.size())));
    }
    FeedList list;
    for (size_t i = 0; i < feeds.size(); ++i) {
      list.emplace_back(remote_->feeds[i], std::move(feeds[i]));
    }
    RunOptions its = options;
    its.executor = remote_->executor;
    return ValueOrThrow(
        remote_->master->Run(remote_->fetches, list, remote_->targets, its));
  }
  if (!program_) {
    throw Error(FailedPrecondition(
        "this Callable holds nothing: it was made by default"));
  }
  if (static_cast<int>(feeds.size()) != program_->num_feeds()) {
    throw Error(
        InvalidArgument(StrCat("this Callable takes ", program_->num_feeds(),
                               " feeds, got ", feeds.size())));
  }
  ArrayList results;
  ThrowIfError(
      master_->RunProgram(*program_, feeds, &results, options, metadata));
  return {std::make_move_iterator(results.begin()),
          std::make_move_iterator(results.end())};
}

PartialStep Session::partial_run(const std::vector<Fetch>& feeds,
                                 const std::vector<Fetch>& fetches,
                                 const std::vector<Operation>& targets) {
  Graph& g = graph();
  std::vector<Value> fed = ValuesOf(g, feeds), fetched = ValuesOf(g, fetches);
  std::vector<Node*> nodes = NodesOf(g, targets);
  return PartialStep(
      g,
      ValueOrThrow(impl_->remote ? impl_->remote->Partial(fed, fetched, nodes)
                                 : PartialRun::Setup(*impl_->local, fed,
                                                     fetched, nodes)));
}

PartialStep::PartialStep(Graph& graph, std::unique_ptr<PartialRun> run)
    : graph_(&graph), run_(std::move(run)) {}
PartialStep::PartialStep(PartialStep&&) noexcept = default;
PartialStep& PartialStep::operator=(PartialStep&&) noexcept = default;
PartialStep::~PartialStep() = default;

std::vector<Array> PartialStep::run(const std::vector<Fetch>& fetches,
                                    const Feeds& feeds) {
  return ValueOrThrow(
      run_->Run(ValuesOf(*graph_, fetches), FeedsOf(*graph_, feeds)));
}

std::string Session::explain(const Fetch& fetch, const Feeds& feeds) {
  Graph& g = graph();
  Value value = ValueOrThrow(fetch.In(g));
  return impl_->Explain({&value, 1}, FeedsOf(g, feeds), {});
}

std::string Session::explain(const Operation& target, const Feeds& feeds) {
  Graph& g = graph();
  std::vector<Node*> nodes = NodesOf(g, {&target, 1});
  return impl_->Explain({}, FeedsOf(g, feeds), nodes);
}

MemoryForecast Session::plan_memory(const std::vector<Fetch>& fetches,
                                    const Feeds& feeds,
                                    const std::vector<Operation>& targets) {
  Graph& g = graph();
  const auto values = ValuesOf(g, fetches);
  const auto nodes = NodesOf(g, targets);
  if (impl_->remote) {
    return ValueOrThrow(
        impl_->remote->PlanMemory(values, FeedsOf(g, feeds), nodes));
  }
  return ValueOrThrow(
      impl_->local->PlanMemory(values, FeedsOf(g, feeds), nodes));
}

void Session::close() {
  if (impl_->remote) return impl_->remote->Close();
  impl_->local->Close();
}

void Session::reset(std::string_view container) {
  if (impl_->remote) {
    return ThrowIfError(impl_->remote->Reset(std::string(container)));
  }
  impl_->local->resources().Reset(container);
}

RandomState Session::random_state() const {
  return impl_->remote ? impl_->remote->random_state()
                       : impl_->local->random_state();
}

void Session::set_random_state(const RandomState& state) {
  if (impl_->remote) return impl_->remote->set_random_state(state);
  impl_->local->set_random_state(state);
}

Graph& Session::graph() const { return impl_->graph; }
LocalMaster& Session::master() const { return impl_->Local("this"); }
RemoteMaster* Session::remote() const { return impl_->remote.get(); }

}  // namespace sluice
