#include "sluice/placement/wishes.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/graph/together_with.h"

namespace sluice {

namespace {

DeviceName TaskOf(const DeviceName& name) {
  DeviceName task;
  task.job = name.job;
  task.task = name.task;
  return task;
}

std::vector<int> Members(const DeviceSet& a, const DeviceSet& b) {
  std::vector<int> both;
  for (size_t d = 0; d < a.size(); ++d) {
    if (a[d] && b[d]) both.push_back(static_cast<int>(d));
  }
  return both;
}

bool Empty(const DeviceSet& set) {
  return std::count(set.begin(), set.end(), 0) ==
         static_cast<std::ptrdiff_t>(set.size());
}

std::string TypesOf(const Node& node) {
  std::vector<std::string_view> names;
  for (const Value& v : node.inputs()) names.push_back(DTypeName(v.dtype()));
  std::string text = Join(names, ", ");
  names.clear();
  for (int i = 0; i < node.num_outputs(); ++i) {
    names.push_back(DTypeName(node.output_type(i).dtype));
  }
  return StrCat("(", text, ") -> (", Join(names, ", "), ")");
}

Status Contradiction(const Node& first, const Node& second) {
  return InvalidArgument(StrCat("[", second.op().name, "] \"", second.name(),
                                "\" asks for device \"", second.device(),
                                "\", but must be with [", first.op().name,
                                "] \"", first.name(), "\", which asks for \"",
                                first.device(),
                                "\"; wanted wishes that one device meets"))
      .WithLine(NodeLine(second))
      .WithLine(NodeLine(first));
}

class Chooser {
 public:
  Chooser(const std::vector<Node*>& group, DeviceTable& table, bool soft)
      : group_(group), table_(table), soft_(soft) {}

  Result<Choice> Run() {
    SL_RETURN_IF_ERROR(FindRunning());
    SL_RETURN_IF_ERROR(FindWish());
    DeviceSet covered = table_.Covered(choice_.wish);
    choice_.devices = Members(running_, covered);
    if (!choice_.devices.empty()) return std::move(choice_);
    if (soft_) {
      choice_.devices = Members(running_, table_.Covered(TaskOf(choice_.wish)));
      choice_.fell_back = Empty(covered) ? "there is no such device"
                                         : "there is no kernel there";
    }
    if (choice_.devices.empty()) return WhyNot(covered);
    return std::move(choice_);
  }

 private:
  Status FindRunning() {
    const Node* narrowest = group_[0];
    running_ = table_.Running(*narrowest);
    for (const Node* node : group_) {
      const DeviceSet& own = table_.Running(*node);
      if (Empty(own)) return NoKernel(*node);
      DeviceSet both = running_;
      for (size_t d = 0; d < both.size(); ++d) both[d] = both[d] && own[d];
      if (Empty(both)) {
        return InvalidArgument(
                   StrCat("[", node->op().name, "] \"", node->name(),
                          "\" must be with [", narrowest->op().name, "] \"",
                          narrowest->name(),
                          "\", and no device has kernels for both; there are ",
                          table_.List()))
            .WithLine(NodeLine(*node))
            .WithLine(NodeLine(*narrowest));
      }
      if (both != running_) narrowest = node;
      running_ = std::move(both);
    }
    return OkStatus();
  }

  Status FindWish() {
    for (const Node* node : group_) {
      if (node->device().empty()) continue;
      if (!PartnerOf(node->device()).empty()) continue;
      SL_ASSIGN_OR_RETURN(const DeviceName* wish, table_.WishOf(*node));
      if (!choice_.wisher) choice_.wisher = node;
      Result<DeviceName> both = DeviceName::Both(choice_.wish, *wish);
      if (both.ok()) {
        choice_.wish = std::move(*both);
        continue;
      }
      bool same_task =
          DeviceName::Both(TaskOf(choice_.wish), TaskOf(*wish)).ok();
      if (!soft_ || !same_task) return Contradiction(*choice_.wisher, *node);
    }
    return OkStatus();
  }

  Status NoKernel(const Node& node) const {
    return Unimplemented(StrCat("[", node.op().name, "] \"", node.name(),
                                "\" has no kernel for ", TypesOf(node),
                                " on any device; there are ", table_.List()))
        .WithLine(NodeLine(node));
  }

  Status WhyNot(const DeviceSet& covered) const {
    const Node& node = *choice_.wisher;
    std::string asks =
        StrCat("[", node.op().name, "] \"", node.name(),
               "\" asks for device \"", choice_.wish.ToString(), "\"");
    if (Empty(covered)) {
      return NotFound(StrCat(asks, ", which is not there; there are ",
                             table_.List()))
          .WithLine(NodeLine(node));
    }
    const Node* without = &node;
    for (const Node* member : group_) {
      if (Members(table_.Running(*member), covered).empty()) without = member;
    }
    std::vector<std::string> can;
    for (int d = 0; d < table_.size(); ++d) {
      if (running_[static_cast<size_t>(d)]) can.push_back(table_.text(d));
    }
    Status status =
        InvalidArgument(StrCat(asks, "; [", without->op().name, "] \"",
                               without->name(), "\" has no kernel for ",
                               TypesOf(*without), " there, only on ",
                               Join(can, ", ")))
            .WithLine(NodeLine(node));
    return without == &node ? status : status.WithLine(NodeLine(*without));
  }

  const std::vector<Node*>& group_;
  DeviceTable& table_;
  const bool soft_;
  DeviceSet running_;
  Choice choice_;
};

}  // namespace

Result<Choice> ChooseFor(const std::vector<Node*>& group, DeviceTable& table,
                         bool soft) {
  return Chooser(group, table, soft).Run();
}

}  // namespace sluice
