#include "sluice/passes/report_loops.h"

#include "sluice/graph/node.h"
#include "sluice/graph/role_of.h"

namespace sluice {

namespace {

bool MadeByGradients(const Node& node) {
  return node.scope().starts_with("gradients/");
}

class Reporter {
 public:
  Reporter(Graph& graph, Value log) : graph_(graph), log_(log) {}

  Status Visit(Region& region) {
    std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
    for (Node* node : nodes) {
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(Visit(*inner));
      }
      if (node->op().flow == Flow::kLoop && node->op().FindAttr("repeats")) {
        SL_RETURN_IF_ERROR(Report(*node));
      }
    }
    return OkStatus();
  }

 private:
  Status Report(Node& loop) {
    const auto& repeats = loop.attrs().get<std::string>("repeats");
    if (repeats.empty() && MadeByGradients(loop)) return OkStatus();
    Region& body = *loop.regions()[1];
    std::vector<Value> checkpoints = {log_}, kept = {log_};
    for (int i = 0; i < loop.num_inputs(); ++i) {
      if (loop.output_type(i).dtype != DType::kList ||
          !MadeByGradients(*loop.input(i).node)) {
        continue;
      }
      kept.push_back(loop.output(i));
      // Lists that only grow are largest at the end; these do not.
      const Value& next = body.results()[static_cast<size_t>(i)];
      if (RoleOf(next) == Role::kListCheckpoint) {
        checkpoints.push_back(body.arg(i));
      }
    }
    Attrs attrs{{"loop", repeats.empty() ? loop.name() : repeats},
                {"again", !repeats.empty()}};
    SL_RETURN_IF_ERROR(Note(body, loop, checkpoints, attrs));
    attrs.set("end", true);
    return Note(*loop.region(), loop, kept, attrs);
  }

  Status Note(Region& region, const Node& loop, std::span<const Value> inputs,
              const Attrs& attrs) {
    NodeOptions options;
    options.name_hint = "note_loop";
    options.line = loop.line();
    options.device = loop.device();
    SL_ASSIGN_OR_RETURN(Node * note,
                        graph_.Add(region, "NoteLoop", inputs, attrs, options));
    std::vector<Node*> targets(region.targets().begin(),
                               region.targets().end());
    targets.push_back(note);
    graph_.SetTargets(region, std::move(targets));
    return OkStatus();
  }

  Graph& graph_;
  const Value log_;
};

}  // namespace

Status ReportLoops(Graph& graph) {
  SL_ASSIGN_OR_RETURN(Value log,
                      graph.AddArg(graph.root(), "loop_log",
                                   {DType::kResource, PartialShape::Scalar()}));
  return Reporter(graph, log).Visit(graph.root());
}

}  // namespace sluice
