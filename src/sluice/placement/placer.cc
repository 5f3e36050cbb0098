#include "sluice/placement/placer.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sluice/base/strings.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/graph/node_work.h"
#include "sluice/graph/role_of.h"
#include "sluice/graph/together_with.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/host_inputs.h"
#include "sluice/placement/colocation.h"
#include "sluice/placement/device_table.h"
#include "sluice/placement/homes.h"
#include "sluice/placement/host_scalars.h"
#include "sluice/placement/schedule.h"
#include "sluice/placement/search.h"
#include "sluice/placement/value_flow.h"
#include "sluice/placement/wishes.h"

namespace sluice {

namespace {

constexpr const char* kHostReads = "the host reads it";

class Placer {
 public:
  Placer(Graph& graph, const PlacementOptions& options, DeviceTable& table)
      : graph_(graph),
        options_(options),
        table_(table),
        flow_(graph),
        homes_(flow_),
        unit_of_(static_cast<size_t>(graph.id_limit()), -1),
        report_() {
    for (int d = 0; d < table.size(); ++d) {
      report_.devices.push_back(table.text(d));
    }
    report_.nodes.resize(unit_of_.size());
  }

  Result<PlacementReport> Run() {
    SL_RETURN_IF_ERROR(MakeUnits());
    ChooseDevices();
    PlaceFollowers();
    Report();
    BatchEdit edit(graph_);
    for (Node* node : flow_.nodes()) {
      edit.SetDevice(*node, table_.text(At(*node).device));
    }
    return std::move(report_);
  }

 private:
  NodePlacement& At(const Node& node) {
    return report_.nodes[static_cast<size_t>(node.id())];
  }
  void Put(const Node& node, int device, std::string why) {
    At(node).device = device;
    At(node).why = std::move(why);
  }

  // ---- What goes together, and where it may go ----

  static bool TouchesHandle(Node& node) {
    for (const Value& v : node.inputs()) {
      if (IsHandle(v)) return true;
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      if (IsHandle(node.output(i))) return true;
    }
    return false;
  }
  // Goes where its neighbours are, whatever it asks for.
  static bool Follows(Node& node) {
    return (IsPrimitive(node) && !TouchesHandle(node)) ||
           (RoleOf(node) == Role::kConst && node.device().empty());
  }

  Status MakeUnits() {
    std::vector<char> scalars = FindHostScalars(flow_);
    for (std::vector<Node*>& group : ColocationGroups(flow_)) {
      Node& first = *group[0];
      bool scalar = true;
      for (Node* node : group) {
        scalar = scalar && node->num_outputs() > 0 &&
                 scalars[static_cast<size_t>(flow_.FirstOf(*node))] != 0;
      }
      if (scalar) {
        SL_ASSIGN_OR_RETURN(const DeviceName* wish, table_.WishOf(first));
        int host = table_.HostOf(*wish);
        for (Node* node : group) Put(*node, host, kHostReads);
        AddUnit(std::move(group), {host}, host);
        continue;
      }
      if (group.size() == 1 && Follows(first)) {
        SL_RETURN_IF_ERROR(table_.WishOf(first).status());
        continue;
      }
      SL_ASSIGN_OR_RETURN(Choice choice,
                          ChooseFor(group, table_, options_.soft));
      SL_RETURN_IF_ERROR(AddChoice(std::move(group), std::move(choice)));
    }
    for (Node* node : flow_.nodes()) {
      bool computes = node->regions().empty() &&
                      node->op().flow != Flow::kCall &&
                      node->op().flow != Flow::kFunction;
      if (computes) continue;
      SL_RETURN_IF_ERROR(table_.WishOf(*node).status());
      Put(*node, 0, "control flow is the host's");
    }
    return OkStatus();
  }

  Status AddChoice(std::vector<Node*> group, Choice choice) {
    auto may = [&](int d) {
      return std::find(choice.devices.begin(), choice.devices.end(), d) !=
             choice.devices.end();
    };
    bool asked = choice.wisher && choice.fell_back.empty();
    int device = choice.devices[0];
    if (!asked && may(options_.preferred) && !choice.wisher) {
      device = options_.preferred;
    } else if (!asked && may(0)) {
      device = 0;
    }
    for (Node* node : group) {
      std::string why;
      std::string_view partner = PartnerOf(node->device());
      if (!partner.empty() && node != group[0]) {
        why = StrCat("asked to be with \"", partner, "\"");
      } else if (!choice.fell_back.empty() && !node->device().empty()) {
        why = StrCat("fell back: ", choice.fell_back);
      } else if (asked && !node->device().empty()) {
        SL_ASSIGN_OR_RETURN(const DeviceName* wish, table_.WishOf(*node));
        why = wish->Covers(table_.model(device).name)
                  ? "asked for"
                  : StrCat("must be with \"", choice.wisher->name(), "\"");
      } else if (node != group[0]) {
        why = StrCat("must be with \"", group[0]->name(), "\"");
      } else if (asked) {
        why = StrCat("must be with \"", choice.wisher->name(), "\"");
      } else if (device == options_.preferred) {
        why = "the preferred device";
      } else {
        why = "the preferred device has no kernel";
      }
      Put(*node, device, std::move(why));
    }
    AddUnit(std::move(group), std::move(choice.devices), device);
    return OkStatus();
  }

  void AddUnit(std::vector<Node*> nodes, std::vector<int> allowed, int device) {
    for (const Node* node : nodes) {
      unit_of_[static_cast<size_t>(node->id())] =
          static_cast<int>(units_.size());
    }
    units_.push_back({std::move(nodes), std::move(allowed), device});
  }

  // ---- Where it goes ----

  void ChooseDevices() {
    Schedule schedule(flow_, homes_, unit_of_, units_.size(), options_);
    Outcome outcome;
    if (options_.search) {
      AvoidFullDevices();
      SearchResult found = SearchDevices(units_, schedule);
      outcome = found.outcome;
      for (size_t u = 0; u < units_.size(); ++u) {
        Unit& unit = units_[u];
        unit.device = found.devices[u];
        for (Node* node : unit.nodes) {
          At(*node).device = unit.device;
          if (unit.allowed.size() > 1) At(*node).why = "finishes earliest";
        }
      }
    } else {
      std::vector<int> devices;
      for (const Unit& unit : units_) devices.push_back(unit.device);
      outcome = schedule.Run(devices);
    }
    report_.predicted_seconds = outcome.seconds;
    report_.bytes_over_memory = static_cast<int64_t>(outcome.bytes_over);
  }

  // A device whose limit is 0 takes nothing, not even what has no memory of its
  // own in the model.
  void AvoidFullDevices() {
    for (Unit& unit : units_) {
      std::vector<int> left = unit.allowed;
      std::erase_if(left, [&](int d) {
        return options_.devices[static_cast<size_t>(d)].memory_bytes == 0;
      });
      if (left.empty()) continue;
      if (std::find(left.begin(), left.end(), unit.device) == left.end()) {
        unit.device = left[0];
      }
      unit.allowed = std::move(left);
    }
  }

  int HomeDevice(const Value& v) {
    const Node* home = homes_.Of(v);
    return home ? std::max(At(*home).device, 0) : 0;
  }

  // Primitives beside what they pass on, constants beside who reads them.
  void PlaceFollowers() {
    for (Node* node : flow_.nodes()) {
      if (At(*node).device >= 0 || RoleOf(*node) == Role::kConst) continue;
      PlacePrimitive(*node);
    }
    // Those that regions hand on lie with what else is handed on there.
    for (const ValueFlow::Edge& edge : flow_.edges()) {
      Node& node = *edge.from.node;
      if (node.is_args() || At(node).device >= 0) continue;
      Put(node, HomeDevice(edge.to),
          StrCat("with what else becomes \"", edge.to.ToString(), "\""));
    }
    for (Node* node : flow_.nodes()) {
      if (At(*node).device >= 0) continue;
      int device = 0;
      std::string why = "nothing but control flow reads it";
      for (const Node* user : node->users()) {
        if (!user->regions().empty() || At(*user).device < 0) continue;
        device = At(*user).device;
        why = StrCat("beside \"", user->name(), "\", which reads it");
        break;
      }
      Put(*node, device, std::move(why));
    }
  }

  void PlacePrimitive(Node& node) {
    if (node.op().flow == Flow::kLoopCond || node.num_outputs() == 0) {
      return Put(node, 0, "control flow is the host's");
    }
    bool enters = node.op().flow == Flow::kEnter;
    if (enters && !node.users().empty()) {
      Node& user = *node.users()[0];
      if (IsPrimitive(user) && user.num_outputs() > 0) {
        return Put(node, HomeDevice(user.output(0)),
                   StrCat("beside \"", user.name(), "\", which it enters"));
      }
      if (At(user).device >= 0) {
        return Put(node, At(user).device,
                   StrCat("beside \"", user.name(), "\", which it enters"));
      }
    }
    const Node* home = homes_.Of(node.output(0));
    if (home && At(*home).device >= 0) {
      return Put(
          node, At(*home).device,
          StrCat("beside \"", home->name(), "\", whose value it passes"));
    }
    Put(node, 0, "it passes a value of the host");
  }

  // ---- The report ----

  void Report() {
    std::set<std::pair<int, int>> copied;  // value, device
    auto copies = [&](const Node& node, const Value& v, int to) {
      if (IsReference(v.dtype()) || HomeDevice(v) == to) return;
      if (!copied.emplace(flow_.IdOf(v), to).second) return;
      At(node).bytes_copied += BytesOf(v.type());
    };
    for (Node* node : flow_.nodes()) {
      NodePlacement& placed = At(*node);
      placed.asked = node->device();
      placed.node = node->name();
      placed.line = StrCat(node->line());
      Result<const DeviceName*> wish = table_.WishOf(*node);
      bool met = (*wish)->Covers(table_.model(placed.device).name);
      bool own_choice = unit_of_[static_cast<size_t>(node->id())] >= 0 &&
                        placed.why != kHostReads;
      report_.unmet_wishes += !met && own_choice;
      if (node->op().shape_only) continue;
      for (int i = 0; i < node->num_inputs(); ++i) {
        // What a loop is given goes where it is carried.
        int to = placed.device;
        if (node->op().flow == Flow::kLoop && !node->regions().empty() &&
            i < node->num_outputs()) {
          to = HomeDevice(node->output(i));
        } else if (HostReads(node->op(), *table_.model(to).name.kind,
                             static_cast<size_t>(i),
                             static_cast<size_t>(node->num_inputs()))) {
          to = 0;
        }
        copies(*node, node->input(i), to);
      }
    }
  }

  Graph& graph_;
  const PlacementOptions& options_;
  DeviceTable& table_;
  ValueFlow flow_;
  Homes homes_;
  std::vector<int> unit_of_;  // by node id; -1: none
  std::vector<Unit> units_;
  PlacementReport report_;
};

}  // namespace

Result<PlacementReport> Place(Graph& graph, const PlacementOptions& options) {
  SL_ASSIGN_OR_RETURN(DeviceTable table, DeviceTable::Make(options));
  return Placer(graph, options, table).Run();
}

}  // namespace sluice
