#include "sluice/trace/compute_now.h"

#include <map>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"
#include "sluice/eager/manual_seed.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/node.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/random_place.h"

namespace sluice::front_internal {

namespace {

Tensor OfArgument(Capture* capture, const Value& arg, std::string_view what) {
  if (capture) {
    for (const Capture::Entry& entry : capture->entries()) {
      if (entry.arg != arg || entry.argument) continue;
      // The recorded call continues drawing from here.
      if (entry.value == RandomPlace()) {
        return Tensor(MakeRef<EagerValue>(PlaceArray(random_state())));
      }
      return Tensor(entry.value);
    }
  }
  throw Error(FailedPrecondition(
      StrCat(what, " depends on the function's argument \"", arg.ToString(),
             "\"; it is computed once, for all calls")));
}

}  // namespace

Tensor ComputeNow(const Tensor& tensor, std::string_view what) {
  if (!tensor.symbolic()) return tensor;
  // Program order is the order of ids; inputs come before their users.
  std::map<int, Node*> needed;
  const Value wanted = tensor.value();
  std::vector<Node*> open{wanted.node};
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    if (node->is_args() || !needed.emplace(node->id(), node).second) continue;
    for (const Value& in : node->inputs()) open.push_back(in.node);
  }
  Capture* capture = Capture::Current();
  ImperativeScope at_once;
  std::map<const Node*, std::vector<Tensor>> made;
  auto value_of = [&](const Value& v) {
    return v.node->is_args() ? OfArgument(capture, v, what)
                             : made.at(v.node)[static_cast<size_t>(v.index)];
  };
  for (auto& [id, node] : needed) {
    std::vector<Operand> inputs;
    for (const Value& in : node->inputs()) inputs.push_back(value_of(in));
    made[node] = CallMany(node->op().name, inputs, node->attrs(), {},
                          std::source_location::current());
  }
  return value_of(wanted);
}

}  // namespace sluice::front_internal
