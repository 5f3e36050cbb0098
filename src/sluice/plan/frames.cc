#include "sluice/plan/frames.h"

#include "sluice/base/strings.h"

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

Result<int> FrameMap::AddRegion(
    const std::vector<Node*>& order,
    const std::function<bool(const Node&)>& everywhere) {
  int base = static_cast<int>(frames_.size());
  frames_.push_back({});
  std::unordered_map<std::string, int> by_name;
  auto loop = [&](const Node& node) {
    const std::string& name = node.attrs().get<std::string>("frame");
    auto [it, fresh] = by_name.emplace(name, static_cast<int>(frames_.size()));
    if (fresh) {
      frames_.push_back(
          {name, -1, &node, nullptr, node.attrs().get<int64_t>("parallel")});
    }
    return it->second;
  };
  auto different = [&](const Node& node, const Node& a, int in_a, const Node& b,
                       int in_b) {
    auto text = [&](const Node& n, int f) {
      return StrCat(Quoted(n), " ", FrameText(frames_[static_cast<size_t>(f)]));
    };
    return InvalidArgument(
               StrCat("[", node.op().name, "] \"", node.name(),
                      "\" has inputs from different frames: ", text(a, in_a),
                      " and ", text(b, in_b), "; wanted all from one"))
        .WithLine(NodeLine(node))
        .WithLine(NodeLine(a))
        .WithLine(NodeLine(b));
  };
  std::vector<const Node*> homeless;  // Enters of what is everywhere
  for (const Node* node : order) {
    if (everywhere(*node)) continue;
    int frame = -1;
    const Node* first = nullptr;
    Status mixed;
    auto meet = [&](const Node& source) {
      if (everywhere(source)) return;
      int f = source.is_args() ? base : of(source);
      if (f < 0) return;  // comes round the loop
      if (frame < 0) {
        frame = f;
        first = &source;
      } else if (f != frame && mixed.ok()) {
        mixed = different(*node, *first, frame, source, f);
      }
    };
    for (const Value& v : node->inputs()) {
      if (!IsBackEdge(*node, v)) meet(*v.node);
    }
    for (const Node* c : node->controls()) meet(*c);
    SL_RETURN_IF_ERROR(mixed);
    switch (node->op().flow) {
      case Flow::kEnter: {
        int inner = loop(*node);
        of_[node] = inner;
        FrameType& type = frames_[static_cast<size_t>(inner)];
        if (frame < 0) {
          homeless.push_back(node);
          continue;
        }
        if (type.parent >= 0 && type.parent != frame) {
          return InvalidArgument(
                     StrCat("[Enter] \"", node->name(), "\" and \"",
                            type.enter->name(), "\" enter frame \"", type.name,
                            "\" from different frames; wanted one loop around "
                            "it, or two names"))
              .WithLine(NodeLine(*node))
              .WithLine(NodeLine(*type.enter));
        }
        type.parent = frame;
        runs_in_[node] = frame;
        continue;
      }
      case Flow::kExit:
      case Flow::kNextIteration:
        if (frame < 0 || frame == base) {
          return InvalidArgument(StrCat("[", node->op().name, "] \"",
                                        node->name(),
                                        "\" is in no frame; wanted what it "
                                        "reads to have come in by an Enter"))
              .WithLine(NodeLine(*node));
        }
        break;
      default:
        break;
    }
    if (frame < 0) frame = base;
    FrameType& type = frames_[static_cast<size_t>(frame)];
    if (node->op().flow == Flow::kExit) {
      runs_in_[node] = frame;
      // The way in stands above the way out; homeless ones enter from outside.
      of_[node] = type.parent < 0 ? base : type.parent;
      continue;
    }
    of_[node] = frame;
    if (node->op().flow == Flow::kLoopCond) {
      if (type.loop_cond) {
        return InvalidArgument(StrCat("[LoopCond] \"", node->name(),
                                      "\" and \"", type.loop_cond->name(),
                                      "\" are both ", FrameText(type),
                                      "; wanted one in each loop"))
            .WithLine(NodeLine(*node))
            .WithLine(NodeLine(*type.loop_cond));
      }
      type.loop_cond = node;
    }
    if (node->op().flow == Flow::kNextIteration) {
      for (const Node* user : node->users()) {
        bool reads = false;
        for (const Value& v : user->inputs()) reads = reads || v.node == node;
        if (!reads || user->op().flow == Flow::kMerge) continue;
        return InvalidArgument(StrCat("[NextIteration] \"", node->name(),
                                      "\" leads to ", Quoted(*user),
                                      ", which the first iteration would wait "
                                      "for; wanted a Merge with what enters"))
            .WithLine(NodeLine(*node))
            .WithLine(NodeLine(*user));
      }
    }
  }
  for (const Node* node : homeless) {
    FrameType& type = frames_[static_cast<size_t>(of_[node])];
    if (type.parent < 0) type.parent = base;
    runs_in_[node] = type.parent;
  }
  // What comes round must come round in its own loop.
  for (const Node* node : order) {
    if (node->op().flow == Flow::kExit) {
      const FrameType& type = frames_[static_cast<size_t>(runs_in_[node])];
      if (type.parent != of_[node]) {
        return InvalidArgument(StrCat("[Exit] \"", node->name(),
                                      "\" leaves frame \"", type.name,
                                      "\" before it is known where that was "
                                      "entered; wanted its Enters first"))
            .WithLine(NodeLine(*node));
      }
    }
    for (const Value& v : node->inputs()) {
      if (!IsBackEdge(*node, v) || of(*v.node) == of(*node)) continue;
      return different(*node, *node, of(*node), *v.node, of(*v.node));
    }
  }
  return base;
}

}  // namespace sluice
