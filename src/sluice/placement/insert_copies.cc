#include "sluice/placement/insert_copies.h"

#include <map>
#include <tuple>

#include "sluice/base/strings.h"
#include "sluice/device/device_name.h"
#include "sluice/graph/small_math.h"
#include "sluice/graph/swap.h"
#include "sluice/placement/value_places.h"

namespace sluice {

namespace {

class CopyInserter {
 public:
  CopyInserter(Graph& graph, const CopyOptions& options)
      : graph_(graph), options_(options), places_(options.host, options.args) {}

  Result<bool> Run() {
    SL_RETURN_IF_ERROR(Visit(graph_.root()));
    if (options_.results_to_host) {
      SL_RETURN_IF_ERROR(
          MoveResults(graph_.root(), [&](size_t) { return places_.host(); }));
    }
    return changed_;
  }

 private:
  Status Visit(Region& region) {
    std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
    for (Node* node : nodes) {
      if (IsSwap(*node) && places_.PlaceOf(node->input(0)) == node->device()) {
        // It is there already.
        graph_.ReplaceUses(node->output(), node->input(0));
        graph_.Erase(*node);
        changed_ = true;
        continue;
      }
      for (int i = 0; i < node->num_inputs(); ++i) {
        std::string wanted = places_.WantedAt(*node, i);
        if (wanted.empty()) continue;
        Value v = node->input(i);
        if (ReadsInPlace(*node, v, wanted)) continue;
        SL_ASSIGN_OR_RETURN(Value there, At(v, wanted, region, node));
        if (!(there == v)) graph_.SetInput(*node, i, there);
      }
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(Visit(*inner));
        SL_RETURN_IF_ERROR(VisitResults(*node, *inner));
      }
    }
    return OkStatus();
  }

  bool ReadsInPlace(const Node& node, const Value& v,
                    const std::string& wanted) {
    if (!options_.small_in_place || !IsSmallMath(node)) return false;
    return IsCpu(places_.PlaceOf(v)) && IsCpu(wanted);
  }
  bool IsCpu(const std::string& place) {
    auto [it, fresh] = cpus_.emplace(place, false);
    if (fresh) {
      Result<DeviceName> name = DeviceName::Parse(place);
      it->second = name.ok() && name->kind == DeviceKind::kCpu;
    }
    return it->second;
  }

  // What a region gives must lie where its owner's results do.
  Status VisitResults(Node& owner, Region& region) {
    switch (owner.op().flow) {
      case Flow::kLoop:
        if (&region == owner.regions().front().get()) break;  // the predicate
        [[fallthrough]];
      case Flow::kBranch:
        return MoveResults(region, [&](size_t i) {
          return places_.PlaceOf({&owner, static_cast<int>(i)});
        });
      default:
        break;
    }
    return MoveResults(region, [&](size_t) { return places_.host(); });
  }

  template <class Wanted>
  Status MoveResults(Region& region, Wanted wanted) {
    std::vector<Value> results(region.results().begin(),
                               region.results().end());
    bool moved = false;
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].dtype() == DType::kResource) continue;
      std::string place = wanted(i);
      SL_ASSIGN_OR_RETURN(Value there, At(results[i], place, region, nullptr));
      moved = moved || !(there == results[i]);
      results[i] = there;
    }
    if (moved) graph_.SetResults(region, std::move(results));
    return OkStatus();
  }

  // The value at `place`, for use by `before` (null: the end) of `region`.
  Result<Value> At(const Value& v, const std::string& place, Region& region,
                   Node* before) {
    if (places_.PlaceOf(v) == place) return v;
    if (ConstantValue(v) && v.node->controls().empty()) {
      return ConstantAt(v, place);
    }
    auto [target, anchor] = WhereToCopy(v, region, before);
    auto key = std::make_tuple(v.node, v.index, place, target);
    auto it = copies_.find(key);
    if (it != copies_.end()) return it->second;
    NodeOptions node_options;
    node_options.name_hint =
        StrCat(v.node->is_args() ? "arg" : v.node->name(), "_copy");
    node_options.device = place;
    // The reader's line: it is what wanted the value there.
    node_options.line = before ? before->line() : v.node->line();
    const Value inputs[] = {v};
    SL_ASSIGN_OR_RETURN(
        Node * copy, graph_.Add(*target, "Identity", inputs, {}, node_options));
    if (anchor) graph_.MoveBefore(*copy, *anchor);
    changed_ = true;
    copies_[key] = copy->output(0);
    return copy->output(0);
  }

  // A constant is put where it is wanted before any step runs.
  Result<Value> ConstantAt(const Value& v, const std::string& place) {
    auto key = std::make_tuple(v.node, v.index, place, &graph_.root());
    auto it = copies_.find(key);
    if (it != copies_.end()) return it->second;
    NodeOptions node_options;
    node_options.name_hint = v.node->name();
    node_options.device = place;
    node_options.line = v.node->line();
    SL_ASSIGN_OR_RETURN(Node * copy,
                        graph_.Add(graph_.root(), v.node->op().name, {},
                                   v.node->attrs(), node_options));
    Region& root = graph_.root();
    if (root.nodes().front() != copy) {
      graph_.MoveBefore(*copy, *root.nodes().front());
    }
    changed_ = true;
    copies_[key] = copy->output(0);
    return copy->output(0);
  }

  struct Spot {
    Region* region;
    Node* before;  // null: at its end
  };

  // In the reader's region, or before the outermost loop or function between
  // the value and its reader, so that it is copied once.
  Spot WhereToCopy(const Value& v, Region& region, Node* before) const {
    Spot spot{&region, before};
    for (Region* r = &region; r != v.node->region() && r->owner();
         r = r->parent()) {
      Flow flow = r->owner()->op().flow;
      if (flow == Flow::kLoop || flow == Flow::kFunction) {
        spot = {r->parent(), r->owner()};
      }
    }
    return spot;
  }

  Graph& graph_;
  const CopyOptions& options_;
  ValuePlaces places_;
  std::map<std::tuple<Node*, int, std::string, Region*>, Value> copies_;
  std::map<std::string, bool> cpus_;  // by place
  bool changed_ = false;
};

}  // namespace

Result<bool> InsertCopies(Graph& graph, const CopyOptions& options) {
  return CopyInserter(graph, options).Run();
}

}  // namespace sluice
