#include "sluice/placement/follow_operands.h"

#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/device/device_name.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/graph/swap.h"
#include "sluice/graph/together_with.h"
#include "sluice/op/host_inputs.h"

namespace sluice {

namespace {

// One name for each device: "cuda", "cuda:0" and "/device:gpu:0" are the same.
std::string FullName(const std::string& device) {
  Result<DeviceName> name = DeviceName::Parse(device);
  if (device.empty() || !name.ok() || !name->kind) return device;
  if (!name->index) name->index = 0;
  return name->ToString();
}

class Follower {
 public:
  Follower(Graph& graph, const std::string& host)
      : graph_(graph), host_(host), edit_(graph) {}

  Status Run(const std::vector<std::string>& args) {
    Region& root = graph_.root();
    for (size_t i = 0; i < args.size(); ++i) {
      at_[root.arg(static_cast<int>(i))] = args[i];
    }
    return Visit(root);
  }

 private:
  Status Visit(Region& region) {
    for (Node* node : region.nodes()) {
      switch (node->op().flow) {
        case Flow::kLoop:
          SL_RETURN_IF_ERROR(VisitLoop(*node));
          break;
        case Flow::kBranch:
          for (const auto& inner : node->regions()) {
            SL_RETURN_IF_ERROR(Visit(*inner));
          }
          for (int i = 0; i < node->num_outputs(); ++i) {
            const Region& first = *node->regions()[0];
            const Value& result = first.results()[static_cast<size_t>(i)];
            at_[node->output(i)] = At(result);
            lists_[node->output(i)] = In(lists_, result);
            elements_[node->output(i)] = ElementsOf(result);
          }
          break;
        case Flow::kNone:
          SL_RETURN_IF_ERROR(VisitPlain(*node));
          break;
        default:
          break;
      }
    }
    return OkStatus();
  }

  Status VisitLoop(Node& loop) {
    for (const auto& region : loop.regions()) {
      for (int i = 0; i < loop.num_inputs(); ++i) {
        at_[region->arg(i)] = At(loop.input(i));
        lists_[region->arg(i)] = In(lists_, loop.input(i));
        elements_[region->arg(i)] = ElementsOf(loop.input(i));
      }
      SL_RETURN_IF_ERROR(Visit(*region));
    }
    for (int i = 0; i < loop.num_outputs(); ++i) {
      at_[loop.output(i)] = At(loop.input(i));
      const Value& last =
          loop.regions().back()->results()[static_cast<size_t>(i)];
      elements_[loop.output(i)] = ElementsOf(last);
      lists_[loop.output(i)] = In(lists_, last);
    }
    return OkStatus();
  }

  Status VisitPlain(Node& node) {
    std::string place = FullName(node.device());
    if (place.empty()) {
      SL_ASSIGN_OR_RETURN(place, OfOperands(node));
      // What was kept goes back where it was made.
      if (IsSwap(node) && !Kept(*node.input(0).node).empty()) {
        place = Kept(*node.input(0).node);
      }
      if (!place.empty() && place != host_) edit_.SetDevice(node, place);
    }
    // Where it will be is known when all are placed.
    if (!PartnerOf(place).empty()) place.clear();
    if (place.empty()) place = OfLists(node);
    for (int i = 0; i < node.num_outputs(); ++i) {
      Value out = node.output(i);
      at_[out] = GivesSizes(node.op()) ? "" : place;
      if (IsSwapOut(node)) elements_[out] = At(node.input(0));
      if (out.dtype() != DType::kList) continue;
      elements_[out] = Kept(node);
      // What the host puts in goes where the others are.
      lists_[out] = place == host_ ? OfLists(node) : place;
    }
    return OkStatus();
  }

  // Where elements of the lists were made that the node reads, or writes.
  std::string Kept(const Node& node) const {
    for (const Value& in : node.inputs()) {
      if (!ElementsOf(in).empty()) return ElementsOf(in);
    }
    return "";
  }

  // Where the lists are that it uses, which it will be with: all that use one
  // are placed together.
  std::string OfLists(const Node& node) const {
    for (const Value& in : node.inputs()) {
      if (!In(lists_, in).empty()) return In(lists_, in);
    }
    return "";
  }

  // Where the operands are that the node reads; numbers go anywhere.
  Result<std::string> OfOperands(const Node& node) const {
    int first = -1;
    std::string place;
    // What it hands on; what only its gradient reads may be anywhere.
    int begin = 0;
    if (node.op().role == Role::kCustomGradient) {
      begin = node.num_inputs() - node.num_outputs();
    }
    for (int i = begin; i < node.num_inputs(); ++i) {
      const Value& v = node.input(i);
      if (!IsPlainData(v.dtype()) ||
          TellsPlace(node.op(), static_cast<size_t>(i)) ||
          HostReads(node.op(), static_cast<size_t>(i),
                    static_cast<size_t>(node.num_inputs()))) {
        continue;
      }
      const std::string& here = At(v);
      if (here.empty() || (here == host_ && v.shape().rank() == 0)) continue;
      if (first < 0) {
        first = i;
        place = here;
      } else if (here != place && !node.op().shape_only) {
        auto text = [&](int k, const std::string& device) {
          return StrCat(node.op().InputName(k), " is ",
                        node.input(k).type().ToString(), " on ", device);
        };
        return InvalidArgument(
                   StrCat("[", node.op().name, "] ", text(first, place), ", ",
                          text(i, here),
                          "; wanted both on one device (to() copies)"))
            .WithLine(NodeLine(node));
      }
    }
    return place;
  }

  using Places = std::unordered_map<Value, std::string, ValueHash>;
  const std::string& At(const Value& v) const { return In(at_, v); }
  const std::string& ElementsOf(const Value& v) const {
    return In(elements_, v);
  }
  static const std::string& In(const Places& places, const Value& v) {
    static const auto& kUnknown = *new std::string;
    auto it = places.find(v);
    return it == places.end() ? kUnknown : it->second;
  }

  Graph& graph_;
  const std::string& host_;
  BatchEdit edit_;
  Places at_;
  // Of lists that loops keep on the host: where their elements came from, and
  // of values on their way there.
  Places elements_;
  Places lists_;  // where elements were put into a list
};

}  // namespace

Status FollowOperands(Graph& graph, const std::vector<std::string>& args,
                      const std::string& host) {
  return Follower(graph, host).Run(args);
}

}  // namespace sluice
