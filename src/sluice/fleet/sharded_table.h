// ShardedTable: a table whose rows are distributed over several tasks, such as
// an embedding that no machine can hold alone.
//
//   dist::ShardedTable words(servers, {10'000'000, 64}, {.name = "words"});
//   Tensor x = words.lookup(ids);
//
// Ids are partitioned by the part that holds them (DynamicPartition), each task
// gathers its own rows, and the rows are combined in the requested order
// (DynamicStitch): only rows travel. Gradients are sparse, one for each part,
// and an optimizer updates only those rows, in their task.
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
  // The initial value of a part of this shape, computed in the part's task.
  // Default: zeros.
  std::function<Tensor(const Shape&)> initial{};
};

class ShardedTable {
 public:
  using Where = std::source_location;

  // Throws sluice::Error: no open graph, no rows.
  ShardedTable(ParameterServers& servers, const Shape& shape,
               const TableOptions& options = {},
               Where where = Where::current());

  // The shape of ids, followed by the axes of a row. An id outside the table is
  // an error of the step.
  Tensor lookup(const Operand& ids, Where where = Where::current()) const;
  const std::vector<Variable>& parts() const { return parts_; }

 private:
  std::vector<Variable> parts_;
  ShardStrategy strategy_;
};

}  // namespace sluice::distributed
