#include "sluice/tape/islands.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/device/device_name.h"
#include "sluice/graph/node_sizes.h"
#include "sluice/graph/small_math.h"
#include "sluice/graph/swap.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/host_inputs.h"
#include "sluice/op/signature.h"
#include "sluice/tape/ancestor_sets.h"

namespace sluice {

namespace {

bool IsCpu(const std::string& device) {
  Result<DeviceName> name = DeviceName::Parse(device);
  return name.ok() && name->kind == DeviceKind::kCpu;
}

bool IsGpu(const std::string& device) {
  if (device.empty()) return false;
  Result<DeviceName> name = DeviceName::Parse(device);
  return name.ok() && name->kind == DeviceKind::kCuda;
}

// Whether the shapes of a node's outputs, which memory is planned from, follow
// from those of its inputs. A graph may state more specific shapes (one from a
// file may state any), and a shape function that did not see a value has not
// rejected them either: such a node runs separately and is checked at run time.
std::string WhyNotCertain(const Node& node) {
  NodeSizes sizes(node);
  sizes.ForgetOutputs();
  if (!node.op().shape(sizes.context()).ok()) {
    return "refused by its shape function";
  }
  if (sizes.context().missed_value()) return "shape depends on values";
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!(sizes.out(i) == node.output_type(i).shape)) {
      return StrCat("stated shape ", node.output_type(i).shape,
                    " does not follow");
    }
  }
  return "";
}

// Why a recording of a GPU's launches cannot contain the node.
std::string WhyNotRecorded(const Node& node) {
  const OpRecord& op = node.op();
  // A number of the host is passed as a launch parameter.
  if (op.role == Role::kIdentity && node.output_type(0).shape.fully_known() &&
      node.output_type(0).shape.ToShape().num_elements() == 1) {
    return "";
  }
  if (IsCopy(node)) return StrCat("copies to ", node.device());
  if (GivesSizes(op)) return "tells sizes to the host";
  const Kernel& kernel = op.kernel(DeviceKind::kCuda);
  if (!op.view && !kernel.launch) return "no kernel for GPUs";
  if (!op.view && !kernel.capturable) return "its launches differ";
  auto count = static_cast<size_t>(node.num_inputs());
  for (size_t i = 0; i < count; ++i) {
    bool by_host = op.view ? i > 0 : HostReads(op, DeviceKind::kCuda, i, count);
    // The position in the random stream is a launch parameter.
    if (by_host && op.random && i + 1 == op.inputs.size()) continue;
    if (by_host && !ConstantValue(node.input(static_cast<int>(i)))) {
      return "the host reads an input";
    }
  }
  return "";
}

}  // namespace

namespace {

// The reasons that apply to every device.
std::string WhyNotWhole(const Node& node) {
  const OpRecord& op = node.op();
  if (op.async()) return "asynchronous";
  if (!node.regions().empty()) return "owns regions";
  if (op.handle) return "resource handle";
  if (op.effect != Effect::kNone) return "touches state";
  if (!op.global_effect.empty() || op.stateful) return "has a side effect";
  if (op.structural) return "structural";
  if (op.dynamic_output) return "output size depends on values";
  if (!op.cpu().launch && !op.block) return "no CPU kernel";
  if (node.num_outputs() == 0) return "no outputs";
  for (int i = 0; i < node.num_outputs(); ++i) {
    const ValueType& type = node.output_type(i);
    if (!IsPlainData(type.dtype)) {
      return StrCat(DTypeName(type.dtype), " elements");
    }
    if (!type.shape.fully_known())
      return StrCat("shape ", type.shape, " unknown");
  }
  for (const Value& v : node.inputs()) {
    if (!IsPlainData(v.dtype())) return StrCat(DTypeName(v.dtype()), " input");
    if (!v.shape().fully_known()) {
      return StrCat("input shape ", v.shape(), " unknown");
    }
  }
  return WhyNotCertain(node);
}

}  // namespace

std::string WhyNotInIsland(const Node& node) {
  const OpRecord& op = node.op();
  bool recorded = IsGpu(node.device());
  if (!node.device().empty() && !recorded && !IsCpu(node.device())) {
    return StrCat("on ", node.device());
  }
  if (recorded) {
    if (std::string why = WhyNotRecorded(node); !why.empty()) return why;
  }
  // The tensor whose shape it reads may be in another memory.
  if (!node.device().empty() && op.shape_only && !recorded) {
    return "reads a shape alone";
  }
  if (!node.device().empty() && IsCopy(node) && !recorded) {
    return StrCat("copies to ", node.device());
  }
  return WhyNotWhole(node);
}

std::string WhyNotOnGpu(const Node& node) {
  std::string why = WhyNotRecorded(node);
  return why.empty() ? WhyNotWhole(node) : why;
}

namespace {

// Visits the nodes in order. Two nodes may share an island if a path between
// them stays inside (equal depth), if they wait for the same (ancestors), and
// if one reads the other.
class IslandChooser {
 public:
  IslandChooser(const std::vector<Node*>& order,
                const std::vector<EffectEdge>& effects,
                const IslandOptions& options)
      : order_(order),
        options_(options),
        kind_(order.size()),
        class_(order.size(), -1),
        behind_(order.size(), 0),
        depth_(order.size(), 0),
        ancestors_(order.size(), 0),
        parent_(order.size()),
        before_by_effect_(effects.empty() ? 0 : order.size()),
        small_(order.size(), 0) {
    std::iota(parent_.begin(), parent_.end(), size_t{0});
    choice_.island.assign(order.size(), -1);
    choice_.why_not.resize(order.size());
    position_.reserve(order.size());
    for (size_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
    for (const EffectEdge& e : effects) {
      before_by_effect_[position_.at(e.after)].push_back(
          position_.at(e.before));
    }
  }

  IslandChoice Choose() {
    FindSmall();
    for (size_t i = 0; i < order_.size(); ++i) {
      Classify(i);
      class_[i] = ClassOf(i);
      if (class_[i] >= 0) behind_[i] = ClassBit(class_[i]);
      Wait(i);
      if (kind_[i] == Kind::kInside) JoinOperands(i);
    }
    LeaveTrailingViews();
    JoinLoners();
    NumberIslands();
    return std::move(choice_);
  }

 private:
  enum class Kind : uint8_t {
    kInside,    // may be part of an island
    kConstant,  // available before anything runs
    kOutside,
  };

  // Finds math on a few elements, in a graph on several CPU devices.
  void FindSmall() {
    std::unordered_map<std::string_view, bool> cpus;
    for (const Node* node : order_) {
      auto [it, fresh] = cpus.emplace(node->device(), false);
      if (fresh) it->second = IsCpu(node->device());
    }
    size_t count = 0;
    for (const auto& [name, cpu] : cpus) count += cpu && !name.empty();
    if (count < 2) return;
    for (size_t i = 0; i < order_.size(); ++i) {
      small_[i] = cpus[order_[i]->device()] && IsSmallMath(*order_[i]);
    }
  }

  void Leave(size_t i, std::string why) {
    kind_[i] = Kind::kOutside;
    choice_.why_not[i] = std::move(why);
  }

  void Classify(size_t i) {
    const Node& node = *order_[i];
    // A constant that waits for a node is treated like any other node.
    if (node.num_outputs() > 0 && node.controls().empty() &&
        ConstantValue(order_[i]->output(0))) {
      kind_[i] = Kind::kConstant;
      choice_.why_not[i] = "constant";
      return;
    }
    std::string why = WhyNotInIsland(node);
    if (!why.empty()) Leave(i, std::move(why));
  }

  // Nodes of one class may share an island if no other node is between them; -1
  // for nodes in no class. Small math forms one class on all devices: mixed
  // with other nodes it would join work of two devices.
  int ClassOf(size_t i) {
    if (kind_[i] != Kind::kInside) return -1;
    const Node& node = *order_[i];
    std::pair<std::string, int> key{small_[i] ? "few elements" : node.device(),
                                    options_.group ? options_.group(node) : 0};
    return classes_.emplace(key, static_cast<int>(classes_.size()))
        .first->second;
  }
  // Classes beyond the last bit share it.
  static uint64_t ClassBit(int c) { return uint64_t{1} << std::min(c, 63); }

  // Node i waits for node k; for its output if that is not negative. Depth
  // counts how often a path to a node has left its class and returned. Between
  // two nodes of one class and depth, a path contains only nodes of that class,
  // so equal depth makes a set convex.
  void WaitFor(size_t i, size_t k, int output) {
    if (kind_[k] == Kind::kConstant) return;
    const Node& source = *order_[k];
    bool back = class_[i] >= 0 && class_[i] != class_[k] &&
                (behind_[k] & ClassBit(class_[i])) != 0;
    depth_[i] = std::max(depth_[i], depth_[k] + (back ? 1 : 0));
    behind_[i] |= behind_[k];
    int set = sets_.Union(ancestors_[i], ancestors_[k]);
    if (source.op().async()) {
      set = sets_.With(set, elements_.Async(static_cast<int>(k)));
    }
    if (source.op().flow == Flow::kSwitch && output >= 0) {
      set = sets_.With(set, elements_.Side(source.input(1), output));
    }
    ancestors_[i] = set;
  }
  void WaitFor(size_t i, const Node* source, int output) {
    auto it = position_.find(source);
    if (it != position_.end()) WaitFor(i, it->second, output);
  }

  void Wait(size_t i) {
    Node& node = *order_[i];
    if (node.op().flow == Flow::kNone) {
      for (const Value& v : node.inputs()) WaitFor(i, v.node, v.index);
    } else {
      // It also waits for the captures of its regions.
      for (const Value& v : InputsWithCaptures(node)) {
        if (!IsBackEdge(node, v)) WaitFor(i, v.node, v.index);
      }
    }
    for (Node* c : node.controls()) WaitFor(i, c, -1);
    if (!before_by_effect_.empty()) {
      for (size_t p : before_by_effect_[i]) WaitFor(i, p, -1);
    }
    if (node.op().flow == Flow::kMerge) MergeWays(i);
    // All nodes of a frame have waited for the frame's outer inputs.
    if (node.op().flow == Flow::kEnter) {
      ancestors_[i] = sets_.With(
          0, elements_.Frame(node.attrs().get<std::string>("frame")));
    }
  }

  // A Merge is alive if any of its inputs is, whatever its side.
  void MergeWays(size_t i) {
    const Node& node = *order_[i];
    std::vector<int> ways;
    for (const Value& v : node.inputs()) {
      if (IsBackEdge(node, v)) return;
      auto it = position_.find(v.node);
      int behind = it == position_.end() ? 0 : ancestors_[it->second];
      if (v.node->op().flow == Flow::kSwitch) {
        behind = sets_.With(behind, elements_.Side(v.node->input(1), v.index));
      }
      ways.push_back(behind);
    }
    ancestors_[i] = sets_.With(0, elements_.Merged(std::move(ways)));
  }

  size_t Root(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  void JoinOperands(size_t i) {
    auto join = [&](const Node* source) {
      auto it = position_.find(source);
      if (it == position_.end()) return;
      size_t k = it->second;
      if (class_[k] == class_[i] && depth_[k] == depth_[i] &&
          ancestors_[k] == ancestors_[i]) {
        parent_[Root(i)] = Root(k);
      }
    };
    for (const Value& v : order_[i]->inputs()) join(v.node);
    for (Node* c : order_[i]->controls()) join(c);
  }

  // A node that reads nothing computed and has no reader here may join any
  // island of its class that waits for the same: no path leads through it. On a
  // GPU this saves a launch.
  void JoinLoners() {
    std::map<std::pair<int, int>, std::vector<size_t>> loners;
    for (size_t i = 0; i < order_.size(); ++i) {
      if (IsLoner(i)) loners[{class_[i], ancestors_[i]}].push_back(i);
    }
    if (loners.empty()) return;
    std::map<std::pair<int, int>, size_t> island;  // the first one found
    for (size_t i = 0; i < order_.size(); ++i) {
      if (kind_[i] == Kind::kInside && Root(i) != i) {
        island.emplace(std::pair{class_[i], ancestors_[i]}, Root(i));
      }
    }
    for (const auto& [key, nodes] : loners) {
      auto [it, fresh] = island.emplace(key, nodes[0]);
      for (size_t i : nodes) {
        if (i != it->second) parent_[i] = it->second;
      }
    }
  }
  bool IsLoner(size_t i) const {
    const Node& node = *order_[i];
    if (kind_[i] != Kind::kInside || parent_[i] != i || behind_[i] == 0 ||
        behind_[i] != ClassBit(class_[i]) || !node.controls().empty() ||
        !IsGpu(node.device())) {
      return false;
    }
    if (!before_by_effect_.empty() && !before_by_effect_[i].empty()) {
      return false;
    }
    auto computed = [&](const Value& v) {
      auto it = position_.find(v.node);
      return it != position_.end() && kind_[it->second] != Kind::kConstant &&
             v.node->num_inputs() > 0;
    };
    auto here = [&](const Node* user) { return position_.count(user) > 0; };
    return std::none_of(node.inputs().begin(), node.inputs().end(), computed) &&
           std::none_of(node.users().begin(), node.users().end(), here);
  }

  // A view that nobody inside the island reads would be copied out of it;
  // outside it stays free. Removing nodes that nothing inside depends on keeps
  // an island convex.
  void LeaveTrailingViews() {
    for (size_t i = order_.size(); i-- > 0;) {
      if (kind_[i] != Kind::kInside || !order_[i]->op().view) continue;
      bool read_inside = false;
      for (Node* user : order_[i]->users()) {
        auto it = position_.find(user);
        read_inside = read_inside || (it != position_.end() &&
                                      kind_[it->second] == Kind::kInside);
      }
      if (!read_inside) Leave(i, "a view that leaves the island");
    }
  }

  void NumberIslands() {
    std::vector<int> sizes(order_.size(), 0);
    for (size_t i = 0; i < order_.size(); ++i) {
      if (kind_[i] == Kind::kInside) ++sizes[Root(i)];
    }
    std::unordered_map<size_t, int> numbers;
    for (size_t i = 0; i < order_.size(); ++i) {
      if (kind_[i] != Kind::kInside) continue;
      if (sizes[Root(i)] < options_.min_nodes) {
        Leave(i, "alone");
        continue;
      }
      auto [it, fresh] = numbers.emplace(Root(i), choice_.count);
      if (fresh) ++choice_.count;
      choice_.island[i] = it->second;
    }
  }

  const std::vector<Node*>& order_;
  const IslandOptions& options_;
  IslandChoice choice_;
  std::unordered_map<const Node*, size_t> position_;
  // By position.
  std::vector<Kind> kind_;
  std::vector<int> class_;
  std::vector<uint64_t> behind_;  // classes of the nodes it waits for, and its
                                  // own
  std::vector<int> depth_, ancestors_;
  std::vector<size_t> parent_;  // joined nodes are a tree, by root
  std::vector<std::vector<size_t>> before_by_effect_;
  std::map<std::pair<std::string, int>, int> classes_;
  std::vector<uint8_t> small_;  // set by FindSmall
  AncestorSets sets_;
  AncestorElements elements_;
};

}  // namespace

IslandChoice ChooseIslands(const std::vector<Node*>& order,
                           const std::vector<EffectEdge>& effects,
                           const IslandOptions& options) {
  return IslandChooser(order, effects, options).Choose();
}

}  // namespace sluice
