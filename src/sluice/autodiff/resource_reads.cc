#include "sluice/autodiff/resource_reads.h"

#include <algorithm>
#include <map>

#include "sluice/autodiff/flow_back.h"
#include "sluice/autodiff/inner_gradient.h"
#include "sluice/base/strings.h"
#include "sluice/graph/effects.h"
#include "sluice/graph/traverse.h"

namespace sluice {

bool ResourceReads::DependOn(const Node& node) {
  if (upstream_.empty()) {
    std::vector<Node*> open;
    auto reach = [&](Node* next) {
      if (upstream_.insert(next).second) open.push_back(next);
    };
    for (const Value& y : ys_) reach(y.node);
    while (!open.empty()) {
      Node* at = open.back();
      open.pop_back();
      for (const Value& v : InputsWithCaptures(*at)) reach(v.node);
    }
  }
  return upstream_.count(&node) > 0;
}

// The outermost node that gradients can see and that contains, or is, the read.
Node* ResourceReads::Around(Node* read) const {
  while (!read->region()->Encloses(&region_)) read = read->region()->owner();
  return read;
}

// A node that may change the resource between the position before `around` and
// the read. A function's code runs at its calls.
const Node* ResourceReads::WhoChanges(Node& around, const Node& read) {
  const std::string resource = ResourcesUsed(read).front().resource;
  auto changes = [&](const Node& node) {
    for (const ResourceUse& use : ResourcesUsed(node)) {
      if (use.write && use.resource == resource) return true;
    }
    return false;
  };
  if (around.op().flow != Flow::kFunction) {
    return changes(around) ? &around : nullptr;
  }
  auto nodes = around.region()->nodes();
  auto begin = std::find(nodes.begin(), nodes.end(), &around), end = begin;
  for (auto it = begin; it != nodes.end(); ++it) {
    if (!DependOn(**it)) continue;
    std::vector<Value> reads = InputsWithCaptures(**it);
    if (std::find(reads.begin(), reads.end(), around.output()) != reads.end()) {
      end = it + 1;
    }
  }
  for (auto it = begin; it != end; ++it) {
    if (changes(**it)) return *it;
  }
  return nullptr;
}

Result<std::vector<Value>> ResourceReads::Of(const Value& handle) {
  std::vector<Value> reads;
  std::map<const Node*, Node*> moved;  // by the construct they were in
  std::vector<Node*> users(handle.node->users().begin(),
                           handle.node->users().end());
  for (Node* read : users) {
    if (read->op().effect != Effect::kRead || read->num_inputs() == 0 ||
        !(read->input(0) == handle)) {
      continue;
    }
    Node* around = Around(read);
    if (around != read) {
      if (!DependOn(*around) || read->num_inputs() != 1 ||
          read->num_outputs() != 1 || !CarriesGradient(read->output())) {
        continue;
      }
      if (const Node* writer = WhoChanges(*around, *read)) {
        return Unimplemented(
                   StrCat("gradients: \"", handle.node->name(),
                          "\" is read inside what also changes it; wanted it "
                          "read before, or its value carried by the loop"))
            .WithLine(NodeLine(*read))
            .WithLine(StrCat("changed ", NodeLine(*writer)));
      }
      Node*& before = moved[around];
      if (!before) {
        SL_ASSIGN_OR_RETURN(
            before, AddBeside(graph_, *around->region(), *read, read->op().name,
                              read->inputs(), read->attrs()));
        graph_.MoveBefore(*before, *around);
      }
      graph_.ReplaceUses(read->output(), before->output());
      read = before;
    }
    for (int i = 0; i < read->num_outputs(); ++i) {
      Value v = read->output(i);
      bool known = std::find(reads.begin(), reads.end(), v) != reads.end();
      if (CarriesGradient(v) && !known) reads.push_back(v);
    }
  }
  return reads;
}

}  // namespace sluice
