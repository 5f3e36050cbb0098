// Parameter servers and training with them, for sluice.distributed.
#include "sluice/fleet/parameter_servers.h"

#include "callback.h"
#include "caller_line.h"
#include "distributed.h"
#include "errors.h"
#include "fit_array.h"
#include "graph.h"
#include "operand.h"
#include "scope_stack.h"
#include "session_object.h"
#include "sluice/base/strings.h"
#include "sluice/fleet/sharded_table.h"
#include "sluice/fleet/stale_replicas.h"
#include "sluice/fleet/sync_chief.h"

namespace sluice::py {

namespace {

namespace dist = sluice::distributed;
using dist::ParameterServers;
using dist::ShardedTable;
using dist::StaleReplicas;
using dist::SyncChief;
using dist::SyncReplicas;

std::vector<dist::Gradient> GradientsFrom(nb::handle pairs) {
  std::vector<dist::Gradient> list;
  for (nb::handle pair : nb::iter(pairs)) {
    nb::object grad = pair[0];
    if (grad.is_none()) {
      ThrowValueError(StrCat("hand_in(): the gradient of variable \"",
                             nb::cast<Variable>(pair[1]).name(),
                             "\" is None; wanted a tensor"));
    }
    list.push_back({nb::cast<Tensor>(grad), nb::cast<Variable>(pair[1])});
  }
  return list;
}

nb::list Pairs(const std::vector<dist::Gradient>& gradients) {
  nb::list pairs;
  for (const auto& [value, variable] : gradients) {
    pairs.append(nb::make_tuple(nb::cast(value), nb::cast(variable)));
  }
  return pairs;
}

// A function from a worker's number to its dict of feeds.
dist::WorkerFeeds FeedsFrom(nb::handle feeds) {
  if (feeds.is_none()) return nullptr;
  return [call = Callback(feeds)](int worker) {
    TakeGil gil;
    nb::object given = call(worker);
    Feeds list;
    if (given.is_none()) return list;
    for (auto [key, value] : nb::cast<nb::dict>(given)) {
      Tensor to = nb::cast<Tensor>(key);
      Tensor fitting =
          FitTensor(value, StrCat("the feed of worker ", worker), to.dtype());
      list.push_back({Fetch(to), FeedValue(fitting)});
    }
    return list;
  };
}

nb::dict Stats(const dist::SyncStats& stats) {
  nb::dict all;
  all["steps"] = stats.steps;
  all["admitted"] = stats.admitted;
  all["dropped"] = stats.dropped;
  all["backups"] = stats.backups;
  all["seconds"] = stats.seconds;
  return all;
}

void MakeTable(nb::pointer_and_handle<ShardedTable> self,
               ParameterServers& servers, nb::handle shape,
               const std::string& name, nb::handle dtype,
               const std::string& strategy, nb::handle initial) {
  OpenGraph("a table");
  if (strategy != "mod" && strategy != "div") {
    ThrowValueError(StrCat("table(): strategy is \"", strategy,
                           "\"; wanted \"mod\" or \"div\""));
  }
  PartialShape sizes = ShapeFromPython(shape, "table(): shape");
  if (!sizes.fully_known()) {
    ThrowValueError(
        StrCat("table(): shape is ", sizes.ToString(), "; wanted all sizes"));
  }
  dist::TableOptions options;
  options.name = name;
  options.dtype = DTypeFromPython(dtype);
  options.strategy =
      strategy == "mod" ? ShardStrategy::kMod : ShardStrategy::kDiv;
  if (!initial.is_none()) {
    options.initial = [&](const Shape& part) {
      nb::list dims;
      for (int64_t d : part.dims()) dims.append(d);
      return FitTensor(initial(nb::tuple(dims)), "table(): initial",
                       options.dtype);
    };
  }
  new (self.p) ShardedTable(servers, sizes.ToShape(), options);
  KeepGraph(self.h, self.p->parts()[0].handle().graph());
}

void MakeSync(nb::pointer_and_handle<SyncReplicas> self, int workers,
              int backups, bool adapt, const std::string& name,
              const std::string& task) {
  Graph& graph = OpenGraph("synchronous training");
  dist::SyncOptions options;
  options.workers = workers;
  options.backups = backups;
  options.adapt = adapt;
  options.name = name;
  options.task = task;
  new (self.p) SyncReplicas(std::move(options));
  KeepGraph(self.h, graph);
}

void BindSync(nb::module_& m) {
  nb::class_<SyncReplicas>(m, "SyncReplicas", nb::is_weak_referenceable())
      .def("__init__", &MakeSync, "workers"_a, "backups"_a, "adapt"_a, "name"_a,
           "task"_a)
      .def("begin", [](SyncReplicas& s, int worker) { return s.begin(worker); })
      .def(
          "hand_in",
          [](SyncReplicas& s, int worker, const Tensor& token,
             nb::handle gradients, const Queue* input,
             const std::vector<Tensor>& values, bool many) {
            dist::Samples samples;
            if (input) samples = {*input, values, many};
            return s.hand_in(worker, token, GradientsFrom(gradients), samples)
                .done;
          },
          "worker"_a, "token"_a, "gradients"_a, "input"_a.none(), "values"_a,
          "many"_a)
      .def("means", [](SyncReplicas& s) { return Pairs(s.means()); })
      .def("set_update",
           [](SyncReplicas& s, const Operation& applied) {
             s.set_update(applied);
           })
      .def_prop_ro("step", [](const SyncReplicas& s) { return s.chief().step; })
      .def(
          "train",
          [](const SyncReplicas& s, SessionObject& session, int64_t steps,
             nb::handle feeds) {
            dist::WorkerFeeds given = FeedsFrom(feeds);
            dist::SyncStats stats;
            {
              ReleaseGil released;
              stats = dist::Train(s, session, steps, given);
            }
            return Stats(stats);
          },
          "session"_a, "steps"_a, "feeds"_a.none())
      .def(
          "work",
          [](const SyncReplicas& s, SessionObject& session, int worker,
             nb::handle feeds) {
            dist::WorkerFeeds given = FeedsFrom(feeds);
            ReleaseGil released;
            return dist::Work(s, session, worker, given);
          },
          "session"_a, "worker"_a, "feeds"_a.none());
  nb::class_<SyncChief>(m, "SyncChief")
      .def(
          "__init__",
          [](SyncChief* self, const SyncReplicas& replicas,
             SessionObject& session, int64_t timeout_ms) {
            new (self) SyncChief(replicas, session, timeout_ms);
          },
          "replicas"_a, "session"_a, "timeout_ms"_a, nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>())
      .def("start",
           [](SyncChief& c) {
             ReleaseGil released;
             c.Start();
           })
      .def("advance",
           [](SyncChief& c) {
             ReleaseGil released;
             return c.Step();
           })
      .def("finish",
           [](SyncChief& c) {
             ReleaseGil released;
             c.Finish();
           })
      .def_prop_ro("stats",
                   [](const SyncChief& c) { return Stats(c.stats()); });
}

void BindStale(nb::module_& m) {
  nb::class_<StaleReplicas>(m, "StaleReplicas", nb::is_weak_referenceable())
      .def(
          "__init__",
          [](nb::pointer_and_handle<StaleReplicas> self, int workers,
             int64_t bound, const std::string& name, const std::string& task) {
            Graph& graph = OpenGraph("asynchronous training");
            dist::StaleOptions options;
            options.workers = workers;
            options.bound = bound;
            options.name = name;
            options.task = task;
            new (self.p) StaleReplicas(std::move(options));
            KeepGraph(self.h, graph);
          },
          "workers"_a, "bound"_a, "name"_a, "task"_a)
      .def_prop_ro("start", [](const StaleReplicas& s) { return s.start(); })
      .def("begin",
           [](StaleReplicas& s, int worker) { return s.begin(worker); })
      .def("end", [](StaleReplicas& s, int worker, const Operation& begun,
                     const Operation& applied) {
        auto made = s.end(worker, begun, applied);
        return nb::make_tuple(nb::cast(made.ahead), nb::cast(made.done));
      });
  m.def(
      "train_stale",
      [](const std::vector<std::pair<Tensor, Operation>>& workers,
         SessionObject& session, int64_t steps, nb::handle feeds) {
        std::vector<StaleReplicas::WorkerStep> list;
        for (const auto& [ahead, done] : workers) {
          list.push_back({ahead, done});
        }
        dist::WorkerFeeds given = FeedsFrom(feeds);
        ReleaseGil released;
        return dist::Train(list, session, steps, given);
      },
      "workers"_a, "session"_a, "steps"_a, "feeds"_a.none());
}

}  // namespace

void BindParameterServers(nb::module_& m) {
  nb::class_<ParameterServers>(m, "ParameterServers")
      .def(
          "__init__",
          [](ParameterServers* self, std::vector<std::string> tasks,
             bool by_size) {
            new (self) ParameterServers(
                std::move(tasks),
                by_size ? dist::Spread::kBySize : dist::Spread::kRoundRobin);
          },
          "tasks"_a, "by_size"_a)
      .def("open",
           [](nb::handle self, nb::handle token) {
             auto& servers = nb::cast<ParameterServers&>(self);
             PushScope(token, nb::borrow(self),
                       [&] { return std::make_shared<PlacerScope>(servers); });
           })
      .def("close", [](nb::handle, nb::handle token) { PopScope(token); })
      .def_prop_ro("tasks", [](const ParameterServers& s) { return s.tasks(); })
      .def_prop_ro("bytes",
                   [](const ParameterServers& s) { return s.bytes(); });
  nb::class_<ShardedTable>(m, "ShardedTable", nb::is_weak_referenceable())
      .def("__init__", &MakeTable, "servers"_a, "shape"_a, "name"_a, "dtype"_a,
           "strategy"_a, "initial"_a.none())
      .def("lookup",
           [](const ShardedTable& t, nb::handle ids) {
             return t.lookup(FitTensor(ids, "lookup(): ids", DType::kI64));
           })
      .def_prop_ro("parts", [](const ShardedTable& t) { return t.parts(); });
  BindSync(m);
  BindStale(m);
}

}  // namespace sluice::py
