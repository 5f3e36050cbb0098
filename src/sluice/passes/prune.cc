#include "sluice/passes/prune.h"

#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/graph/region_checks.h"
#include "sluice/graph/role_of.h"

namespace sluice {

namespace {

class Pruner {
 public:
  Pruner(const Graph& user, Graph::NodeMap* nodes)
      : user_(user),
        nodes_(nodes ? *nodes : own_nodes_),
        out_(std::make_unique<Graph>(user.name())) {}

  Result<std::unique_ptr<Graph>> Run(std::span<const Value> feeds,
                                     std::span<const Value> fetches,
                                     std::span<Node* const> targets,
                                     std::span<const ValueType> feed_types) {
    if (!feed_types.empty() && feed_types.size() != feeds.size()) {
      return InvalidArgument(StrCat("got ", feed_types.size(), " types for ",
                                    feeds.size(), " feeds"));
    }
    for (size_t i = 0; i < feeds.size(); ++i) {
      SL_RETURN_IF_ERROR(
          AddFeed(feeds[i], feed_types.empty() ? nullptr : &feed_types[i]));
    }
    needed_.assign(static_cast<size_t>(user_.id_limit()), false);
    for (const Value& fetch : fetches) {
      SL_RETURN_IF_ERROR(CheckValue(fetch, "fetch"));
      SL_RETURN_IF_ERROR(Need(fetch));
    }
    for (Node* target : targets) {
      if (!target || target->is_args() || target->region() != &user_.root()) {
        return InvalidArgument(
            StrCat("a target is not a node of graph \"", user_.name(), "\""));
      }
      if (!IsFed(target)) Need(target);
    }
    SL_RETURN_IF_ERROR(Search());
    SL_RETURN_IF_ERROR(Copy());
    SL_RETURN_IF_ERROR(CheckAllRegions(out_->root()));

    std::vector<Value> results;
    for (const Value& fetch : fetches) results.push_back(map_.at(fetch));
    out_->SetResults(out_->root(), std::move(results));
    std::vector<Node*> roots;
    for (Node* target : targets) {
      if (!IsFed(target)) roots.push_back(nodes_.at(target));
    }
    out_->SetTargets(out_->root(), std::move(roots));
    return std::move(out_);
  }

 private:
  Status CheckValue(const Value& v, std::string_view role) const {
    if (!v || v.index < 0 || v.index >= v.node->num_outputs()) {
      return InvalidArgument(StrCat("a ", role, " is not a value of any node"));
    }
    if (v.node->region() == &user_.root()) return OkStatus();
    // Inside a loop a value exists many times, or never.
    std::string_view where = user_.root().Encloses(v.node->region())
                                 ? "lies inside a region of"
                                 : "does not belong to";
    return InvalidArgument(StrCat(role, " \"", v.ToString(), "\" ", where,
                                  " graph \"", user_.name(),
                                  "\"; wanted a value of its own"));
  }

  Status AddFeed(const Value& feed, const ValueType* given) {
    SL_RETURN_IF_ERROR(CheckValue(feed, "feed"));
    std::string name = feed.ToString();
    if (map_.count(feed)) {
      return InvalidArgument(StrCat("\"", name, "\" is fed twice"));
    }
    ValueType type = feed.type();
    if (given) {
      Result<PartialShape> merged = MergeShapes(type.shape, given->shape);
      if (given->dtype != type.dtype || !merged.ok()) {
        return InvalidArgument(
            StrCat("feed \"", name, "\" is ", *given, "; wanted ", type));
      }
      type.shape = *merged;
    }
    SL_ASSIGN_OR_RETURN(map_[feed], out_->AddArg(out_->root(), name, type));
    if (RoleOf(feed) == Role::kPlaceholder) fed_.insert(feed.node);
    return OkStatus();
  }

  void Need(const Node* node) {
    auto id = static_cast<size_t>(node->id());
    if (needed_[id]) return;
    needed_[id] = true;
    ++num_needed_;
    todo_.push_back(node);
  }

  // A fed placeholder does not run. Waiting for it means waiting for the feed,
  // which exists before the step. (Other fed ops may have effects: nodes that
  // wait for them wait for those.)
  bool IsFed(const Node* node) const { return fed_.count(node) > 0; }

  Status Need(const Value& v) {
    if (map_.count(v)) return OkStatus();  // fed
    if (v.node->is_args()) {
      return InvalidArgument(StrCat("argument \"", v.ToString(),
                                    "\" of graph \"", user_.name(),
                                    "\" is needed; wanted it to be fed"));
    }
    Need(v.node);
    return OkStatus();
  }

  // The values and nodes of the root that a region uses. Regions nest a few
  // levels deep, so this may recurse.
  Status NeedCaptures(const Region& region) {
    auto outside = [&](const Node* node) {
      return node->region() == &user_.root();
    };
    for (const Node* node : region.nodes()) {
      for (const Value& v : node->inputs()) {
        if (outside(v.node)) SL_RETURN_IF_ERROR(Need(v));
      }
      for (const Node* c : node->controls()) {
        if (outside(c) && !IsFed(c)) Need(c);
      }
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(NeedCaptures(*inner));
      }
    }
    for (const Value& v : region.results()) {
      if (outside(v.node)) SL_RETURN_IF_ERROR(Need(v));
    }
    return OkStatus();
  }

  Status Search() {
    while (!todo_.empty()) {
      const Node* node = todo_.back();
      todo_.pop_back();
      for (const Value& v : node->inputs()) SL_RETURN_IF_ERROR(Need(v));
      for (const Node* c : node->controls()) {
        if (!IsFed(c)) Need(c);
      }
      for (const auto& region : node->regions()) {
        SL_RETURN_IF_ERROR(NeedCaptures(*region));
      }
    }
    return OkStatus();
  }

  Status Copy() {
    map_.reserve(map_.size() + num_needed_);
    nodes_.reserve(num_needed_);
    out_->Reserve(num_needed_);
    std::unordered_map<const Node*, std::vector<std::pair<Value, Value>>> fed;
    for (const auto& entry : map_) {
      if (!entry.first.node->is_args()) {
        fed[entry.first.node].push_back(entry);
      }
    }
    std::vector<bool> copied(needed_.size(), false);
    auto ready = [&](const Node* used) {
      return used->is_args() || copied[static_cast<size_t>(used->id())];
    };
    for (const Node* node : user_.root().nodes()) {
      auto id = static_cast<size_t>(node->id());
      if (!needed_[id]) continue;
      for (const Value& v : node->inputs()) {
        if (!ready(v.node) && !map_.count(v) && !IsBackEdge(*node, v)) {
          return OutOfOrder(*node);
        }
      }
      for (const Node* c : node->controls()) {
        if (!ready(c) && !IsFed(c)) return OutOfOrder(*node);
      }
      out_->CopyNode(*node, out_->root(), map_, nodes_);
      copied[id] = true;
      // Copying entered every output into the map; a fed one keeps its
      // argument.
      if (fed.empty()) continue;
      if (auto it = fed.find(node); it != fed.end()) {
        for (const auto& [from, to] : it->second) map_[from] = to;
      }
    }
    return OkStatus();
  }

  static Status OutOfOrder(const Node& node) {
    return InvalidArgument(
               StrCat("[", node.op().name,
                      "] uses a node that comes after it; wanted program "
                      "order, which has no cycle"))
        .WithLine(NodeLine(node));
  }

  const Graph& user_;
  Graph::NodeMap own_nodes_;
  Graph::NodeMap& nodes_;
  std::unique_ptr<Graph> out_;
  std::unordered_set<const Node*> fed_;  // placeholders
  Graph::ValueMap map_;                  // first the feeds, then the copies
  std::vector<bool> needed_;             // by id
  size_t num_needed_ = 0;
  std::vector<const Node*> todo_;
};

}  // namespace

Result<std::unique_ptr<Graph>> Prune(const Graph& user,
                                     std::span<const Value> feeds,
                                     std::span<const Value> fetches,
                                     std::span<Node* const> targets,
                                     std::span<const ValueType> feed_types,
                                     Graph::NodeMap* nodes) {
  return Pruner(user, nodes).Run(feeds, fetches, targets, feed_types);
}

}  // namespace sluice
