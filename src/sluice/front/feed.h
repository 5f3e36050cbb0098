// What a run computes and gets: Fetch names a value of the graph, by handle or
// by name; Feed supplies a value for the run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/eager/literal.h"
#include "sluice/eager/tensor.h"
#include "sluice/front/variable.h"
#include "sluice/graph/graph.h"

namespace sluice {

// An error that names the branch or loop a node is inside of; OK for one of the
// graph itself. Only those can be fed, fetched and run.
Status InNoRegion(const Node& node);

class Fetch {
 public:
  Fetch(const Tensor& tensor) : tensor_(tensor) {}
  // The variable's value before what the step does to it.
  Fetch(const Variable& variable) : tensor_(variable.value()) {}
  Fetch(const char* name) : name_(name) {}  // "x", "x:0", "split:1"
  Fetch(std::string name) : name_(std::move(name)) {}

  // The value meant, in that graph. Errors: nothing of that name, a tensor of
  // another graph, an empty one, one inside a branch or loop.
  Result<Value> In(Graph& graph) const;

 private:
  Tensor tensor_;
  std::string name_;
};

// A literal takes the type of what it is fed to; an imperative Tensor or an
// Array has one.
struct FeedValue : Literal {
  using Literal::Literal;
  FeedValue(const Tensor& imperative) : Literal(imperative.array()) {}
};

struct Feed {
  Fetch to;
  FeedValue value;
};
using Feeds = std::vector<Feed>;

}  // namespace sluice
