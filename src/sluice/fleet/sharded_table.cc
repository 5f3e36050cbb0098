#include "sluice/fleet/sharded_table.h"

#include "sluice/base/error.h"
#include "sluice/base/source_line.h"
#include "sluice/base/strings.h"
#include "sluice/fleet/calls.h"

namespace sluice::distributed {

namespace {

// The number of rows in one of `parts`: with both ways of sharding the first
// parts have one more.
int64_t RowsOf(int64_t n, size_t parts, size_t part) {
  auto each = n / static_cast<int64_t>(parts);
  auto more = n % static_cast<int64_t>(parts);
  return each + (static_cast<int64_t>(part) < more ? 1 : 0);
}

}  // namespace

ShardedTable::ShardedTable(ParameterServers& servers, const Shape& shape,
                           const TableOptions& options, Where where)
    : strategy_(options.strategy) {
  const std::vector<std::string>& tasks = servers.tasks();
  if (shape.rank() < 1 || shape.dim(0) < static_cast<int64_t>(tasks.size())) {
    throw Error(InvalidArgument(StrCat("the table \"", options.name, "\" is ",
                                       shape, "; wanted a row for each of ",
                                       tasks.size(), " tasks, at least"))
                    .WithLine(StrCat("at ", SourceLine::From(where))));
  }
  for (size_t i = 0; i < tasks.size(); ++i) {
    DeviceScope there(tasks[i]);
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    dims[0] = RowsOf(shape.dim(0), tasks.size(), i);
    Shape own = ValueOrThrow(Shape::Make(dims));
    Tensor first = options.initial
                       ? options.initial(own)
                       : calls::Filled(0, options.dtype, dims, where);
    parts_.push_back(
        variable(first, StrCat(options.name, "/part_", i), {}, where));
    servers.Note(i, own.num_elements() * DTypeSize(options.dtype));
  }
}

Tensor ShardedTable::lookup(const Operand& ids, Where where) const {
  std::vector<Tensor> read;
  for (const Variable& part : parts_) read.push_back(part.read(where));
  return embedding_lookup(read, ids, strategy_, where);
}

}  // namespace sluice::distributed
