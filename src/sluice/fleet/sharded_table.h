// ShardedTable: a table of rows cut over the tasks that keep it, such as an
// embedding that no machine holds alone.
//
//   dist::ShardedTable words(servers, {10'000'000, 64}, {.name = "words"});
//   Tensor x = words.lookup(ids);
//
// Ids are sorted by the part that has them (DynamicPartition), each task picks
// its own rows, and they are put together in the order asked for
// (DynamicStitch): only rows travel. Gradients are sparse, one for each part,
// and an optimizer changes those rows alone, in the task they are in.
//
// A handle to variables of a graph, which must outlive it.
#pragma once

#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "sluice/fleet/parameter_servers.h"
#include "sluice/front/embedding.h"
#include "sluice/front/variable.h"

namespace sluice::distributed {

struct TableOptions {
  std::string name = "table";  // part i is the variable "name/part_i"
  DType dtype = DType::kF32;
  ShardStrategy strategy = ShardStrategy::kMod;
  // The first value of a part of this shape, made where the part is. Without
  // one: zeros.
  std::function<Tensor(const Shape&)> initial{};
};

class ShardedTable {
 public:
  using Where = std::source_location;

  // Throws sluice::Error: no graph is open, no rows.
  ShardedTable(ParameterServers& servers, const Shape& shape,
               const TableOptions& options = {},
               Where where = Where::current());

  // In the shape of ids, a row's axes behind. An id that the table does not
  // have is an error of the step.
  Tensor lookup(const Operand& ids, Where where = Where::current()) const;
  const std::vector<Variable>& parts() const { return parts_; }

 private:
  std::vector<Variable> parts_;
  ShardStrategy strategy_;
};

}  // namespace sluice::distributed
