#include "sluice/passes/infer_shapes.h"

#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/graph/checked_when_run.h"
#include "sluice/op/signature.h"

namespace sluice {

namespace {

using Shapes = std::vector<PartialShape>;

// The line of a node whose shapes do not match, with its operands' names.
std::string OperandLine(const Node& node, const Shapes& in) {
  std::string line = NodeLine(node);
  for (int i = 0; i < node.num_inputs() && i < 4; ++i) {
    StrAppend(line, i == 0 ? "  " : ", ", node.op().InputName(i), " = \"",
              node.input(i).ToString(), "\" ",
              TypeText(node.input(i).dtype(), in[static_cast<size_t>(i)]));
  }
  return line;
}

Result<Shapes> InferNode(const Node& node, const Shapes& in) {
  std::vector<DType> dtypes, out_dtypes;
  std::vector<const Array*> values;
  for (const Value& v : node.inputs()) {
    dtypes.push_back(v.dtype());
    values.push_back(ConstantValue(v));
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    out_dtypes.push_back(node.output_type(i).dtype);
  }
  Result<Shapes> inferred =
      InferShapes(node.op(), node.attrs(), dtypes, in, values, out_dtypes);
  if (!inferred.ok()) return inferred.status().WithLine(OperandLine(node, in));
  return inferred;
}

// The shapes of a region for other shapes of its arguments. The graph does not
// change, and outer values keep their shapes.
class Trial {
 public:
  // The shapes of the results.
  Result<Shapes> Run(const Region& region, const Shapes& args) {
    for (int i = 0; i < region.num_args(); ++i) {
      shapes_[region.arg(i)] = args[static_cast<size_t>(i)];
    }
    for (Node* node : region.nodes()) {
      SL_ASSIGN_OR_RETURN(Shapes out, Visit(*node));
      for (int i = 0; i < node->num_outputs(); ++i) {
        // Shapes stated when the node was made hold for all arguments only if
        // those were general enough at the time; so they are not used.
        shapes_[node->output(i)] = std::move(out[static_cast<size_t>(i)]);
      }
    }
    Shapes results;
    for (const Value& v : region.results()) results.push_back(At(v));
    return results;
  }

  // The shapes of a loop's values in every iteration, for these initial shapes.
  Result<Shapes> Carried(const Node& loop, Shapes args) {
    for (;;) {
      SL_ASSIGN_OR_RETURN(Shapes next, Run(*loop.regions()[1], args));
      bool changed = false;
      for (size_t i = 0; i < args.size(); ++i) {
        PartialShape joined = JoinShapes(args[i], next[i]);
        changed = changed || !(joined == args[i]);
        args[i] = std::move(joined);
      }
      // Each round gives up a size or a rank, so the loop terminates.
      if (!changed) return args;
    }
  }

 private:
  PartialShape At(const Value& v) const {
    auto it = shapes_.find(v);
    return it == shapes_.end() ? v.shape() : it->second;
  }

  Result<Shapes> Visit(const Node& node) {
    Shapes in;
    for (const Value& v : node.inputs()) in.push_back(At(v));
    switch (node.op().flow) {
      case Flow::kBranch: {
        Shapes joined;
        for (const auto& region : node.regions()) {
          SL_ASSIGN_OR_RETURN(Shapes out, Run(*region, {}));
          for (size_t i = 0; i < out.size(); ++i) {
            if (joined.size() <= i) joined.push_back(out[i]);
            joined[i] = JoinShapes(joined[i], out[i]);
          }
        }
        return joined;
      }
      case Flow::kLoop:
        return Carried(node, std::move(in));
      default: {
        Result<Shapes> found = InferNode(node, in);
        if (!found.ok() && CheckedWhenRun(node.op(), *node.region())) {
          return Shapes{StatedShape(node.attrs())};
        }
        return found;
      }
    }
  }

  std::unordered_map<Value, PartialShape, ValueHash> shapes_;
};

class Refiner {
 public:
  explicit Refiner(Graph& graph) : graph_(graph) {}

  Result<bool> Run(Region& region) {
    SL_RETURN_IF_ERROR(Visit(region));
    return changed_;
  }
  // Whether an error is inside a region that may not run.
  bool in_region() const { return in_region_; }

 private:
  Status Visit(Region& region) {
    for (Node* node : region.nodes()) {
      Shapes found;
      in_region_ = !node->regions().empty();
      if (node->op().flow == Flow::kLoop) {
        SL_ASSIGN_OR_RETURN(found, EnterLoop(*node));
      }
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(Visit(*inner));
      }
      in_region_ = region.owner() != nullptr;
      if (node->op().flow == Flow::kBranch) {
        found = JoinedResults(*node);
      } else if (node->op().flow != Flow::kLoop) {
        // The shape of a loop's first Merge is only known from the entire loop.
        bool carries = false;
        for (const Value& v : node->inputs()) {
          carries = carries || IsBackEdge(*node, v);
        }
        if (carries) continue;
        Shapes in;
        for (const Value& v : node->inputs()) in.push_back(v.shape());
        Result<Shapes> inferred = InferNode(*node, in);
        if (!inferred.ok() && CheckedWhenRun(node->op(), region)) continue;
        SL_ASSIGN_OR_RETURN(found, std::move(inferred));
      }
      SL_RETURN_IF_ERROR(Refine(*node, found));
    }
    return OkStatus();
  }

  Result<Shapes> EnterLoop(Node& loop) {
    Shapes in;
    for (const Value& v : loop.inputs()) in.push_back(v.shape());
    SL_ASSIGN_OR_RETURN(Shapes carried, Trial().Carried(loop, std::move(in)));
    for (const auto& region : loop.regions()) {
      for (int i = 0; i < region->num_args(); ++i) {
        auto k = static_cast<size_t>(i);
        Result<PartialShape> merged =
            MergeShapes(region->arg(i).shape(), carried[k]);
        if (!merged.ok()) {
          return merged.status().WithLine(NodeLine(loop));
        }
        if (*merged == region->arg(i).shape()) continue;
        graph_.SetArgShape(*region, i, *merged);
        changed_ = true;
      }
    }
    return carried;
  }

  static Shapes JoinedResults(const Node& branch) {
    Shapes joined;
    for (const auto& region : branch.regions()) {
      for (size_t i = 0; i < region->results().size(); ++i) {
        const PartialShape& shape = region->results()[i].shape();
        if (joined.size() <= i) joined.push_back(shape);
        joined[i] = JoinShapes(joined[i], shape);
      }
    }
    return joined;
  }

  Status Refine(Node& node, const Shapes& found) {
    for (int i = 0; i < node.num_outputs(); ++i) {
      const PartialShape& known = node.output_type(i).shape;
      const PartialShape& here = found[static_cast<size_t>(i)];
      Result<PartialShape> merged = MergeShapes(known, here);
      if (!merged.ok()) {
        return InvalidArgument(StrCat("[", node.op().name, "] output ", i,
                                      " is ", known,
                                      "; with the shapes fed it is ", here))
            .WithLine(NodeLine(node));
      }
      if (*merged == known) continue;
      graph_.SetOutputShape(node, i, *merged);
      changed_ = true;
    }
    return OkStatus();
  }

  Graph& graph_;
  bool changed_ = false, in_region_ = false;
};

}  // namespace

Result<bool> RefineShapes(Graph& graph, bool* in_region) {
  Refiner refiner(graph);
  Result<bool> changed = refiner.Run(graph.root());
  if (in_region && !changed.ok()) *in_region = refiner.in_region();
  return changed;
}

}  // namespace sluice
