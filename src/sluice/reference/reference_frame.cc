#include "sluice/reference/reference_frame.h"

#include "sluice/base/strings.h"

namespace sluice {

Arrivals& ReferenceFrame::At(const Node& node, const TokenWiring& wiring) {
  auto [it, fresh] = arrivals.try_emplace(&node);
  Arrivals& a = it->second;
  if (!fresh) return a;
  const std::vector<Value>& operands = wiring.operands.at(&node);
  a.operands.resize(operands.size());
  // Constants belong to every iteration of every frame.
  for (size_t i = 0; i < operands.size(); ++i) {
    const Array* constant = ConstantValue(operands[i]);
    if (constant && operands[i].node->controls().empty() &&
        node.op().flow == Flow::kNone) {
      a.operands[i] = Token{*constant};
    }
  }
  return a;
}

std::vector<FramePlace> ReferenceFrame::Places() const {
  std::vector<FramePlace> places;
  for (const ReferenceFrame* f = this; f->parent; f = f->parent) {
    places.push_back({f->name, f->iteration});
  }
  return places;
}

namespace {

std::vector<std::string> Missing(const Node& node, const Arrivals& a,
                                 const TokenWiring& wiring) {
  std::vector<std::string> missing;
  for (size_t i = 0; i < a.operands.size(); ++i) {
    if (a.operands[i]) continue;
    bool input = i < static_cast<size_t>(node.num_inputs());
    missing.push_back(
        StrCat(input ? node.op().InputName(static_cast<int>(i)) : "captured",
               " = \"", wiring.operands.at(&node)[i].ToString(), "\""));
  }
  for (const Node* c : node.controls()) {
    if (!wiring.Inside(c) || a.controls.count(c)) continue;
    missing.push_back(StrCat("control \"", c->name(), "\""));
  }
  return missing;
}

bool GotSomething(const Arrivals& a) {
  for (const auto& token : a.operands) {
    if (token) return true;
  }
  return !a.controls.empty();
}

}  // namespace

std::vector<WaitingNode> WaitingNodes(ReferenceFrame& frame,
                                      const TokenWiring& wiring) {
  std::vector<WaitingNode> waiting;
  for (const Node* node : wiring.order) {
    const Arrivals& a = frame.At(*node, wiring);
    if (a.fired) continue;
    // A frame that has started without it waits for an Enter.
    bool missed = node->op().flow == Flow::kEnter &&
                  frame.inner.count(FrameName(*node)) > 0;
    if (!missed && !GotSomething(a)) continue;
    waiting.push_back(
        {node, PlaceText(frame.Places()), Missing(*node, a, wiring)});
  }
  for (auto& [name, inner] : frame.inner) {
    for (WaitingNode& w : WaitingNodes(*inner, wiring)) {
      waiting.push_back(std::move(w));
    }
  }
  return waiting;
}

}  // namespace sluice
