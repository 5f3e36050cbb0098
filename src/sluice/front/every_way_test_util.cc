#include "sluice/front/every_way_test_util.h"

#include "sluice/device/devices.h"
#include "sluice/op/resource.h"
#include "sluice/passes/prune.h"
#include "sluice/reference/reference_interpreter.h"

namespace sluice {

namespace {

// Tensors of these, where programs that name no device have theirs.
std::vector<Tensor> TensorsOf(const std::vector<Array>& args) {
  std::vector<Tensor> made;
  for (const Array& a : args) {
    Tensor tensor(MakeRef<EagerValue>(a));
    bool moves = IsPlainData(a.dtype());
    made.push_back(moves ? tensor.to(Devices::Default().name_text()) : tensor);
  }
  return made;
}

struct Way {
  std::string name;
  std::function<std::vector<Array>()> run;
};

// Sets the bound on iterations at once of all loops in a region.
void SetParallel(Graph& graph, Region& region, int64_t parallel) {
  for (Node* node : region.nodes()) {
    if (node->op().name == "While" || node->op().name == "Enter") {
      graph.SetAttr(*node, "parallel", parallel);
    }
    for (const auto& inner : node->regions()) {
      SetParallel(graph, *inner, parallel);
    }
  }
}

// A graph of f, with placeholders for its arguments.
struct Recorded {
  Graph graph;
  std::vector<Tensor> inputs, outputs;

  Recorded(const Fn& f, const std::vector<Array>& args, bool shapes_known) {
    GraphScope building(graph);
    for (size_t i = 0; i < args.size(); ++i) {
      PartialShape shape = args[i].shape();
      if (!shapes_known) shape = PartialShape::OfRank(shape.rank());
      inputs.push_back(call("Placeholder", {},
                            {{"dtype", args[i].dtype()}, {"shape", shape}})[0]);
    }
    outputs = f(inputs);
  }

  std::vector<Array> Interpreted(const std::vector<Array>& args) {
    std::vector<Value> feeds, fetches;
    for (const Tensor& t : inputs) feeds.push_back(t.value());
    for (const Tensor& t : outputs) fetches.push_back(t.value());
    std::unique_ptr<Graph> pruned =
        ValueOrThrow(Prune(graph, feeds, fetches, {}));
    ResourceManager resources;
    StepContext step;
    step.step_id = 1;  // as a session's first
    step.resources = &resources;
    return ValueOrThrow(Interpret(*pruned, args, step));
  }

  // `parallel` 0: as f says.
  std::vector<Array> Run(const std::vector<Array>& args, int threads,
                         ExecutorChoice executor, int64_t parallel) {
    if (parallel > 0) {
      MutexLock lock(graph.mu());
      SetParallel(graph, graph.root(), parallel);
    }
    SessionOptions session_options;
    session_options.threads = threads;
    Session session(graph, session_options);
    RunOptions options;
    options.executor = executor;
    FeedList feeds;
    std::vector<Feed> fed;
    for (size_t i = 0; i < args.size(); ++i) {
      fed.push_back({inputs[i], args[i]});
    }
    return session.run(std::vector<Fetch>(outputs.begin(), outputs.end()), fed,
                       {}, options);
  }
};

Way AtOnce(const Fn& f, const std::vector<Array>& args) {
  return {"at once", [&] {
            std::vector<Array> out;
            for (const Tensor& t : f(TensorsOf(args))) out.push_back(t.array());
            return out;
          }};
}

std::vector<Way> GraphWays(const Fn& f, const std::vector<Array>& args) {
  std::vector<Way> ways;
  ways.push_back({"captured", [&] {
                    auto captured =
                        function([&](std::vector<Tensor> x) { return f(x); });
                    std::vector<Array> out;
                    for (const Tensor& t : captured(TensorsOf(args))) {
                      out.push_back(t.array());
                    }
                    return out;
                  }});
  for (bool known : {true, false}) {
    std::string shapes = known ? "" : ", shapes unknown";
    ways.push_back({"interpreted" + shapes, [&, known] {
                      return Recorded(f, args, known).Interpreted(args);
                    }});
    struct Executor {
      const char* name;
      ExecutorChoice choice;
      int64_t parallel = 0;
    };
    for (int threads : {1, 2}) {
      for (Executor e : {Executor{"auto", ExecutorChoice::kAuto},
                         Executor{"tape", ExecutorChoice::kTape},
                         Executor{"tokens", ExecutorChoice::kTokens},
                         Executor{"tokens", ExecutorChoice::kTokens, 1},
                         Executor{"tokens", ExecutorChoice::kTokens, 4},
                         Executor{"tokens", ExecutorChoice::kTokens, 32}}) {
        std::string name = std::string(e.name) + ", " +
                           std::to_string(threads) + " threads" + shapes;
        if (e.parallel) name += ", " + std::to_string(e.parallel) + " at once";
        ways.push_back({name, [&, known, threads, e] {
                          return Recorded(f, args, known)
                              .Run(args, threads, e.choice, e.parallel);
                        }});
      }
    }
  }
  return ways;
}

std::vector<Way> Ways(const Fn& f, const std::vector<Array>& args) {
  std::vector<Way> ways = GraphWays(f, args);
  ways.insert(ways.begin(), AtOnce(f, args));
  return ways;
}

// What the first gives; a failure where another differs.
std::vector<Array> Agreed(const std::vector<Way>& ways) {
  std::vector<Array> first;
  std::string first_name;
  for (const Way& way : ways) {
    SCOPED_TRACE(way.name);
    std::vector<Array> out;
    try {
      out = way.run();
    } catch (const Error& e) {
      ADD_FAILURE() << way.name << " throws:\n" << e.what();
      continue;
    }
    if (first_name.empty()) {
      first = out;
      first_name = way.name;
      continue;
    }
    EXPECT_EQ(out.size(), first.size());
    for (size_t i = 0; i < std::min(out.size(), first.size()); ++i) {
      EXPECT_TRUE(out[i].BitEquals(first[i]))
          << "result " << i << ": " << way.name << " gives "
          << out[i].ToString() << ", " << first_name << " "
          << first[i].ToString();
    }
  }
  return first;
}

}  // namespace

std::vector<Array> EveryWay(const Fn& f, const std::vector<Array>& args) {
  return Agreed(Ways(f, args));
}

std::vector<Array> EveryGraphWay(const Fn& f, const std::vector<Array>& args) {
  return Agreed(GraphWays(f, args));
}

void EveryWayFails(const Fn& f, const std::vector<Array>& args,
                   const std::vector<std::string>& parts) {
  for (const Way& way : Ways(f, args)) {
    SCOPED_TRACE(way.name);
    std::string text = ErrorOf([&] { way.run(); });
    EXPECT_FALSE(text.empty()) << "nothing was thrown";
    for (const std::string& part : parts) Contains(text, part);
  }
}

}  // namespace sluice
