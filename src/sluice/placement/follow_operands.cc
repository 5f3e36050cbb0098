#include "sluice/placement/follow_operands.h"

#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/op/host_inputs.h"

namespace sluice {

namespace {

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
            at_[node->output(i)] = At(first.results()[static_cast<size_t>(i)]);
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
      }
      SL_RETURN_IF_ERROR(Visit(*region));
    }
    for (int i = 0; i < loop.num_outputs(); ++i) {
      at_[loop.output(i)] = At(loop.input(i));
    }
    return OkStatus();
  }

  Status VisitPlain(Node& node) {
    std::string place = node.device();
    if (place.empty()) {
      SL_ASSIGN_OR_RETURN(place, OfOperands(node));
      if (!place.empty() && place != host_) edit_.SetDevice(node, place);
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      at_[node.output(i)] = GivesSizes(node.op()) ? "" : place;
    }
    return OkStatus();
  }

  // Where the operands are that the node reads; numbers go anywhere.
  Result<std::string> OfOperands(const Node& node) const {
    int first = -1;
    std::string place;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Value& v = node.input(i);
      if (!IsPlainData(v.dtype()) ||
          HostReads(node.op(), DeviceKind::kCpu, static_cast<size_t>(i),
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

  const std::string& At(const Value& v) const {
    static const auto& kUnknown = *new std::string;
    auto it = at_.find(v);
    return it == at_.end() ? kUnknown : it->second;
  }

  Graph& graph_;
  const std::string& host_;
  BatchEdit edit_;
  std::unordered_map<Value, std::string, ValueHash> at_;
};

}  // namespace

Status FollowOperands(Graph& graph, const std::vector<std::string>& args,
                      const std::string& host) {
  return Follower(graph, host).Run(args);
}

}  // namespace sluice
