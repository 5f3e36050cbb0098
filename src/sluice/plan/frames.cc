#include "sluice/plan/frames.h"

#include "sluice/base/strings.h"
#include "sluice/graph/frame_rules.h"

namespace sluice {

namespace {

std::string Quoted(const Node& node) {
  return StrCat(node.op().name, " \"", node.name(), "\"");
}

std::string FrameText(const FrameType& frame) {
  if (frame.name.empty()) return "outside of loops";
  return StrCat("in frame \"", frame.name, "\"");
}

}  // namespace

int FrameMap::of(const Node& node) const {
  auto it = of_.find(&node);
  return it == of_.end() ? -1 : it->second;
}

int FrameMap::runs_in(const Node& node) const {
  auto it = runs_in_.find(&node);
  return it == runs_in_.end() ? of(node) : it->second;
}

// Assigns the nodes of one region to frames, one after the other.
class FrameMap::RegionWalk {
 public:
  RegionWalk(FrameMap& map, const std::function<bool(const Node&)>& everywhere)
      : map_(map),
        everywhere_(everywhere),
        base_(static_cast<int>(map.frames_.size())) {
    map_.frames_.push_back({});
  }

  int base() const { return base_; }

  Status Add(const Node& node) {
    if (everywhere_(node)) return OkStatus();
    SL_ASSIGN_OR_RETURN(int frame, FrameOfOperands(node));
    switch (node.op().flow) {
      case Flow::kEnter:
        return AddEnter(node, frame);
      case Flow::kExit:
        SL_RETURN_IF_ERROR(CheckInFrame(node, frame));
        map_.runs_in_[&node] = frame;
        // An Enter comes before its Exit; nodes without a frame enter from
        // outside.
        map_.of_[&node] = Type(frame).parent < 0 ? base_ : Type(frame).parent;
        return OkStatus();
      case Flow::kNextIteration:
        SL_RETURN_IF_ERROR(CheckInFrame(node, frame));
        map_.of_[&node] = frame;
        return CheckLeadsToMerges(node);
      default:
        break;
    }
    if (frame < 0) frame = base_;
    map_.of_[&node] = frame;
    return node.op().flow == Flow::kLoopCond ? SetLoopCond(node, Type(frame))
                                             : OkStatus();
  }

  // Enters of values visible everywhere: in the frame of the other Enters of
  // their loop.
  void SettleHomeless() {
    for (const Node* node : homeless_) {
      FrameType& type = Type(map_.of_[node]);
      if (type.parent < 0) type.parent = base_;
      map_.runs_in_[node] = type.parent;
    }
  }

  // A value carried around a loop must stay in its loop, and one that leaves
  // must have entered above.
  Status CheckRound(const Node& node) const {
    if (node.op().flow == Flow::kExit) {
      const FrameType& type = Type(map_.runs_in_[&node]);
      if (type.parent != map_.of_[&node]) {
        return InvalidArgument(StrCat("[Exit] \"", node.name(),
                                      "\" leaves frame \"", type.name,
                                      "\" before it is known where that was "
                                      "entered; wanted its Enters first"))
            .WithLine(NodeLine(node));
      }
    }
    for (const Value& v : node.inputs()) {
      int here = map_.of(node), there = map_.of(*v.node);
      if (IsBackEdge(node, v) && here != there) {
        return Different(node, node, here, *v.node, there);
      }
    }
    return OkStatus();
  }

 private:
  FrameType& Type(int frame) const {
    return map_.frames_[static_cast<size_t>(frame)];
  }

  // The frame that an Enter leads to, by name.
  int LoopOf(const Node& enter) {
    const std::string& name = FrameName(enter);
    auto [it, fresh] =
        by_name_.emplace(name, static_cast<int>(map_.frames_.size()));
    if (fresh) {
      map_.frames_.push_back(
          {name, -1, &enter, nullptr, enter.attrs().get<int64_t>("parallel")});
    }
    return it->second;
  }

  Status Different(const Node& node, const Node& a, int in_a, const Node& b,
                   int in_b) const {
    auto text = [&](const Node& n, int f) {
      return StrCat(Quoted(n), " ", FrameText(Type(f)));
    };
    return InvalidArgument(
               StrCat("[", node.op().name, "] \"", node.name(),
                      "\" has inputs from different frames: ", text(a, in_a),
                      " and ", text(b, in_b), "; wanted all from one"))
        .WithLine(NodeLine(node))
        .WithLine(NodeLine(a))
        .WithLine(NodeLine(b));
  }

  // -1: none of them is in a frame yet, or there are none.
  Result<int> FrameOfOperands(const Node& node) const {
    int frame = -1;
    const Node* first = nullptr;
    auto meet = [&](const Node& source) -> Status {
      if (everywhere_(source)) return OkStatus();
      int f = source.is_args() ? base_ : map_.of(source);
      if (f < 0) return OkStatus();  // carried around the loop
      if (frame < 0) {
        frame = f;
        first = &source;
      }
      return f == frame ? OkStatus()
                        : Different(node, *first, frame, source, f);
    };
    for (const Value& v : node.inputs()) {
      if (!IsBackEdge(node, v)) SL_RETURN_IF_ERROR(meet(*v.node));
    }
    for (const Node* c : node.controls()) SL_RETURN_IF_ERROR(meet(*c));
    return frame;
  }

  Status AddEnter(const Node& node, int from) {
    int inner = LoopOf(node);
    map_.of_[&node] = inner;
    FrameType& type = Type(inner);
    if (from < 0) {
      homeless_.push_back(&node);
      return OkStatus();
    }
    if (type.parent >= 0 && type.parent != from) {
      return InvalidArgument(
                 StrCat("[Enter] \"", node.name(), "\" and \"",
                        type.enter->name(), "\" enter frame \"", type.name,
                        "\" from different frames; wanted one loop around "
                        "it, or two names"))
          .WithLine(NodeLine(node))
          .WithLine(NodeLine(*type.enter));
    }
    type.parent = from;
    map_.runs_in_[&node] = from;
    return OkStatus();
  }

  Status CheckInFrame(const Node& node, int frame) const {
    if (frame >= 0 && frame != base_) return OkStatus();
    return InvalidArgument(StrCat("[", node.op().name, "] \"", node.name(),
                                  "\" is in no frame; wanted what it reads to "
                                  "have come in by an Enter"))
        .WithLine(NodeLine(node));
  }

  Status SetLoopCond(const Node& node, FrameType& type) const {
    if (type.loop_cond) {
      return InvalidArgument(StrCat("[LoopCond] \"", node.name(), "\" and \"",
                                    type.loop_cond->name(), "\" are both ",
                                    FrameText(type),
                                    "; wanted one in each loop"))
          .WithLine(NodeLine(node))
          .WithLine(NodeLine(*type.loop_cond));
    }
    type.loop_cond = &node;
    return OkStatus();
  }

  Status CheckLeadsToMerges(const Node& node) const {
    for (const Node* user : node.users()) {
      bool reads = false;
      for (const Value& v : user->inputs()) reads = reads || v.node == &node;
      if (!reads || user->op().flow == Flow::kMerge) continue;
      return InvalidArgument(StrCat("[NextIteration] \"", node.name(),
                                    "\" leads to ", Quoted(*user),
                                    ", which the first iteration would wait "
                                    "for; wanted a Merge with what enters"))
          .WithLine(NodeLine(node))
          .WithLine(NodeLine(*user));
    }
    return OkStatus();
  }

  FrameMap& map_;
  const std::function<bool(const Node&)>& everywhere_;
  const int base_;
  std::unordered_map<std::string, int> by_name_;
  std::vector<const Node*> homeless_;
};

Result<int> FrameMap::AddRegion(
    const std::vector<Node*>& order,
    const std::function<bool(const Node&)>& everywhere) {
  RegionWalk walk(*this, everywhere);
  for (const Node* node : order) SL_RETURN_IF_ERROR(walk.Add(*node));
  walk.SettleHomeless();
  for (const Node* node : order) SL_RETURN_IF_ERROR(walk.CheckRound(*node));
  return walk.base();
}

}  // namespace sluice
