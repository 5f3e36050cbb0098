// Accumulators, hash tables, barriers and mutexes: state that steps share, as
// the user's program sees it. Each is a handle, copied freely; the graph must
// outlive it, and what it holds lives in a session.
//
// In an inline namespace because the engine's classes have these names too.
#pragma once

#include "sluice/front/resource.h"

namespace sluice {
inline namespace front {

// Gathers gradients from many steps and gives their mean or sum away when
// there are enough. Gradients computed for an earlier step are dropped.
class Accumulator {
 public:
  using Where = std::source_location;
  Accumulator() = default;
  Accumulator(Tensor handle, DType dtype, PartialShape shape)
      : handle_(std::move(handle)), dtype_(dtype), shape_(std::move(shape)) {}

  Operation apply(const Operand& local_step, const Operand& gradient,
                  Where where = Where::current()) const;
  // Waits until there are `num_required`, takes what is there, and moves the
  // accumulator to its next step.
  Tensor take(const Operand& num_required,
              Where where = Where::current()) const;
  Tensor count(Where where = Where::current()) const;
  Operation set_step(const Operand& step, Where where = Where::current()) const;
  const Tensor& handle() const { return handle_; }

 private:
  Tensor handle_;
  DType dtype_ = DType::kInvalid;
  PartialShape shape_;
};

// From keys (i32, i64 or string) to values of one shape.
class HashTable {
 public:
  using Where = std::source_location;
  HashTable() = default;
  HashTable(Tensor handle, DType key_dtype, DType value_dtype,
            PartialShape value_shape)
      : handle_(std::move(handle)),
        key_dtype_(key_dtype),
        value_dtype_(value_dtype),
        value_shape_(std::move(value_shape)) {}

  Operation insert(const Operand& keys, const Operand& values,
                   Where where = Where::current()) const;
  // `missing`, of the shape of one value, for keys that are not there.
  Tensor find(const Operand& keys, const Operand& missing,
              Where where = Where::current()) const;
  Operation erase(const Operand& keys, Where where = Where::current()) const;
  Tensor size(Where where = Where::current()) const;
  // All keys in ascending order, and their values.
  struct Entries {
    Tensor keys, values;
  };
  Entries entries(Where where = Where::current()) const;
  const Tensor& handle() const { return handle_; }

 private:
  Tensor handle_;
  DType key_dtype_ = DType::kInvalid, value_dtype_ = DType::kInvalid;
  PartialShape value_shape_;
};

// Joins components that arrive separately under one key.
class Barrier {
 public:
  using Where = std::source_location;
  Barrier() = default;
  Barrier(Tensor handle, std::vector<DType> dtypes,
          std::vector<PartialShape> shapes)
      : handle_(std::move(handle)),
        dtypes_(std::move(dtypes)),
        shapes_(std::move(shapes)) {}

  // Row i of `values` is that component of keys[i].
  Operation insert(int64_t component, const Operand& keys,
                   const Operand& values, Where where = Where::current()) const;
  // Waits for n complete keys: their names, then each component as a batch.
  std::vector<Tensor> take(const Operand& n, bool allow_small_batch = false,
                           Where where = Where::current()) const;
  Operation close(bool cancel_pending = false,
                  Where where = Where::current()) const;
  Tensor ready_size(Where where = Where::current()) const;
  Tensor incomplete_size(Where where = Where::current()) const;
  const Tensor& handle() const { return handle_; }

 private:
  Tensor handle_;
  std::vector<DType> dtypes_;
  std::vector<PartialShape> shapes_;
};

// A lock that one step holds at a time. A step that ends without releasing
// keeps it.
class MutexHandle {
 public:
  using Where = std::source_location;
  MutexHandle() = default;
  explicit MutexHandle(Tensor handle) : handle_(std::move(handle)) {}

  Tensor acquire(Where where = Where::current()) const;  // the ticket
  Operation release(const Operand& ticket,
                    Where where = Where::current()) const;
  const Tensor& handle() const { return handle_; }

 private:
  Tensor handle_;
};

}  // namespace front

// `reduction` is "mean" or "sum".
Accumulator accumulator(
    DType dtype, const PartialSizes& shape = {},
    std::string_view reduction = "mean", const ResourceOptions& options = {},
    std::source_location where = std::source_location::current());
HashTable hash_table(
    DType key_dtype, DType value_dtype,
    const PartialSizes& value_shape = Shape(),
    const ResourceOptions& options = {},
    std::source_location where = std::source_location::current());
Barrier barrier(const std::vector<DType>& dtypes,
                const std::vector<PartialSizes>& shapes,
                const ResourceOptions& options = {},
                std::source_location where = std::source_location::current());
MutexHandle mutex(const ResourceOptions& options = {},
                  std::source_location where = std::source_location::current());

}  // namespace sluice
