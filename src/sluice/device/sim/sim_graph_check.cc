// The rules of graph objects: sim_graph.h lists them.

#include <map>
#include <vector>

#include "sluice/base/strings.h"
#include "sluice/device/sim/sim_device.h"
#include "sluice/device/sim/sim_graph.h"

namespace sluice {

namespace {

using Kind = SimGraphNode::Kind;

bool MayBeInBody(Kind kind) {
  switch (kind) {
    case Kind::kKernel:
    case Kind::kCopy:
    case Kind::kFill:
    case Kind::kEmpty:
    case Kind::kChild:
    case Kind::kIf:
    case Kind::kWhile:
    case Kind::kSwitch:
      return true;
    default:
      return false;
  }
}

bool AnyOverlap(const std::vector<ByteRange>& a,
                const std::vector<ByteRange>& b) {
  for (const ByteRange& x : a) {
    for (const ByteRange& y : b) {
      if (x.Overlaps(y)) return true;
    }
  }
  return false;
}

Status Broken(const SimGraph& graph, const SimGraphNode& node,
              std::string_view rule) {
  return InvalidArgument(StrCat("graph \"", EscapeString(graph.name()), "\", ",
                                node.ToString(), ": ", rule));
}

class Checker {
 public:
  Status Check(const SimGraph& graph, bool in_body) {
    SL_RETURN_IF_ERROR(FindConditions(graph));
    return CheckGraph(graph, in_body);
  }

 private:
  using Setters = std::vector<const SimGraphNode*>;

  // Which node decides by each condition, and which set it, in the whole graph.
  Status FindConditions(const SimGraph& graph) {
    for (const SimGraphNode& node : graph.nodes()) {
      if (node.conditional()) {
        if (!node.decides) {
          return Broken(graph, node, "got no condition; wanted one");
        }
        auto [at, added] = deciders_.try_emplace(node.decides.get(), &node);
        if (!added) {
          return Broken(graph, node,
                        "its condition belongs to another node; wanted a "
                        "condition for each");
        }
      }
      if (node.sets) setters_[node.sets.get()].push_back(&node);
      for (const auto& body : node.bodies) {
        SL_RETURN_IF_ERROR(FindConditions(*body));
      }
    }
    return OkStatus();
  }

  // Kernels in the node that set the condition, those in bodies included.
  static void FindSetters(const SimGraphNode& node, const SimCondition* wanted,
                          Setters& setters) {
    if (node.sets.get() == wanted) setters.push_back(&node);
    for (const auto& body : node.bodies) {
      for (const SimGraphNode& inner : body->nodes()) {
        FindSetters(inner, wanted, setters);
      }
    }
  }

  Status CheckGraph(const SimGraph& graph, bool in_body) {
    const auto& nodes = graph.nodes();
    // before[i][j]: node j comes before node i.
    std::vector<std::vector<bool>> before(nodes.size(),
                                          std::vector<bool>(nodes.size()));
    for (size_t i = 0; i < nodes.size(); ++i) {
      const SimGraphNode& node = nodes[i];
      if (in_body && !MayBeInBody(node.kind)) {
        return Broken(graph, node,
                      "is in the body of a conditional node; wanted kernels, "
                      "copies, fills, empty nodes, child graphs and "
                      "conditional nodes there");
      }
      for (int j : node.after) {
        if (j < 0 || static_cast<size_t>(j) >= i) {
          return Broken(graph, node,
                        StrCat("comes after node ", j,
                               "; wanted the number of an earlier one"));
        }
        auto from = static_cast<size_t>(j);
        before[i][from] = true;
        for (size_t k = 0; k < from; ++k) {
          if (before[from][k]) before[i][k] = true;
        }
      }
      SL_RETURN_IF_ERROR(CheckNode(graph, node));
      if (node.conditional()) {
        SL_RETURN_IF_ERROR(CheckCondition(graph, i, before[i]));
      }
      for (const auto& body : node.bodies) {
        SL_RETURN_IF_ERROR(CheckGraph(*body, in_body || node.conditional()));
      }
    }
    SL_RETURN_IF_ERROR(CheckConflicts(graph, before));
    for (const SimConditionRef& condition : graph.conditions()) {
      if (!deciders_.contains(condition.get())) {
        return InvalidArgument(StrCat(
            "graph \"", EscapeString(graph.name()), "\": condition \"",
            EscapeString(condition->name()),
            "\" belongs to no node; wanted a conditional node for each"));
      }
    }
    return OkStatus();
  }

  Status CheckNode(const SimGraph& graph, const SimGraphNode& node) {
    const Memory* memory = &graph.device().memory();
    for (const auto* ranges : {&node.work.reads, &node.work.writes}) {
      for (const ByteRange& range : *ranges) {
        if (range.memory && range.memory != memory) {
          return Broken(
              graph, node,
              StrCat("touches memory of ", range.memory->device_name(),
                     "; wanted that of ", graph.device().name_text(),
                     " alone, which the graph is for"));
        }
      }
    }
    for (const auto& body : node.bodies) {
      if (&body->device() != &graph.device()) {
        return Broken(graph, node,
                      StrCat("is for ", body->device().name_text(), "; wanted ",
                             graph.device().name_text()));
      }
    }
    if (node.kind == Kind::kSwitch && node.bodies.empty()) {
      return Broken(graph, node, "got no bodies; wanted at least one");
    }
    if (node.sets && !deciders_.contains(node.sets.get())) {
      return Broken(graph, node,
                    StrCat("sets condition \"", node.sets->name(),
                           "\", which belongs to no node of this graph"));
    }
    return OkStatus();
  }

  Status CheckCondition(const SimGraph& graph, size_t at,
                        const std::vector<bool>& before) {
    const SimGraphNode& node = graph.nodes()[at];
    const SimCondition* condition = node.decides.get();
    Setters inside, outside;
    FindSetters(node, condition, inside);
    for (size_t j = 0; j < graph.nodes().size(); ++j) {
      if (j == at) continue;
      size_t known = outside.size();
      FindSetters(graph.nodes()[j], condition, outside);
      if (outside.size() > known && !before[j]) {
        return Broken(graph, node,
                      StrCat("is not after ", outside.back()->ToString(),
                             ", which sets its condition"));
      }
    }
    for (const Setters* setters : {&inside, &outside}) {
      if (setters->size() > 1) {
        return Broken(graph, node,
                      StrCat("its condition is set by ",
                             (*setters)[0]->ToString(), " and by ",
                             (*setters)[1]->ToString(), "; wanted one kernel"));
      }
    }
    const Setters& all = setters_[condition];
    if (all.size() > inside.size() + outside.size()) {
      return Broken(graph, node,
                    "its condition is set in another graph; wanted one kernel "
                    "of its own");
    }
    if (outside.empty() && !condition->at_launch()) {
      return Broken(graph, node,
                    "its condition is set by nobody before it; wanted a kernel "
                    "that does, or a value at launch");
    }
    if (node.kind == Kind::kWhile && inside.empty()) {
      return Broken(graph, node,
                    "its body does not set its condition; wanted one kernel "
                    "that does, or it would never end");
    }
    if (node.kind != Kind::kWhile && !inside.empty()) {
      return Broken(graph, node,
                    StrCat("its condition is set by ", inside[0]->ToString(),
                           " in its own body; wanted one kernel before it"));
    }
    return OkStatus();
  }

  static Status CheckConflicts(const SimGraph& graph,
                               const std::vector<std::vector<bool>>& before) {
    const auto& nodes = graph.nodes();
    struct Ranges {
      std::vector<ByteRange> reads, writes;
    };
    std::vector<Ranges> all(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      Ranges& mine = all[i];
      mine.reads = nodes[i].work.reads;
      mine.writes = nodes[i].work.writes;
      for (const auto& body : nodes[i].bodies) {
        CollectRanges(*body, mine.reads, mine.writes);
      }
      for (size_t j = 0; j < i; ++j) {
        if (before[i][j]) continue;
        if (AnyOverlap(mine.writes, all[j].writes) ||
            AnyOverlap(mine.writes, all[j].reads) ||
            AnyOverlap(mine.reads, all[j].writes)) {
          return Broken(graph, nodes[i],
                        StrCat("touches bytes that ", nodes[j].ToString(),
                               " touches as well, one of them writing; wanted "
                               "one after the other"));
        }
      }
    }
    return OkStatus();
  }

  std::map<const SimCondition*, const SimGraphNode*> deciders_;
  std::map<const SimCondition*, Setters> setters_;
};

}  // namespace

Status CheckGraph(const SimGraph& graph) {
  return Checker().Check(graph, false);
}

}  // namespace sluice
