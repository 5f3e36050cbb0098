#include "tests/hostile_graph.h"

#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/session/local_master.h"

namespace sluice {

Result<std::vector<Array>> RunInGraph(const OpRecord& op,
                                      const HostileCall& call,
                                      bool shapes_known,
                                      ExecutorChoice executor,
                                      WorkerPool& pool) {
  Graph graph("hostile");
  std::vector<Value> inputs;
  FeedList feeds;
  for (const Array& in : call.inputs) {
    PartialShape shape =
        shapes_known ? PartialShape(in.shape()) : PartialShape::Unknown();
    SL_ASSIGN_OR_RETURN(Node * fed,
                        graph.Add(graph.root(), "Placeholder", {},
                                  {{"dtype", in.dtype()}, {"shape", shape}}));
    inputs.push_back(fed->output());
    feeds.emplace_back(fed->output(), in);
  }
  SL_ASSIGN_OR_RETURN(Node * node,
                      graph.Add(graph.root(), op.name, inputs, call.attrs));
  std::vector<Value> fetches;
  for (int i = 0; i < node->num_outputs(); ++i) {
    fetches.push_back(node->output(i));
  }
  std::vector<Node*> readers;
  for (const Value& y : fetches) {
    if (!kPlain.contains(y.dtype())) continue;
    SL_ASSIGN_OR_RETURN(Node * reader,
                        graph.Add(graph.root(), "Equal", {{y, y}}, {}));
    readers.push_back(reader);
  }
  readers.push_back(node);
  RunOptions run;
  run.executor = executor;
  MasterOptions options;
  options.pool = &pool;
  LocalMaster master(graph, options);
  return master.Run(fetches, feeds, readers, run);
}

}  // namespace sluice
