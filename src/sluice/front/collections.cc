#include "sluice/front/collections.h"

namespace sluice {

using front_internal::MakeHandle;
using front_internal::Typed;
using front_internal::UseHandle;

inline namespace front {

Operation Accumulator::apply(const Operand& local_step, const Operand& gradient,
                             Where where) const {
  Operand operands[] = {local_step,
                        Typed("AccumulatorApply", gradient, dtype_)};
  return UseHandle("AccumulatorApply", handle_, operands, {}, where);
}

Tensor Accumulator::take(const Operand& num_required, Where where) const {
  return UseHandle("AccumulatorTake", handle_, {&num_required, 1},
                   {{"dtype", dtype_}, {"shape", shape_}}, where)
      .output();
}

Tensor Accumulator::count(Where where) const {
  return UseHandle("AccumulatorCount", handle_, {}, {}, where).output();
}

Operation Accumulator::set_step(const Operand& step, Where where) const {
  return UseHandle("AccumulatorSetStep", handle_, {&step, 1}, {}, where);
}

Operation HashTable::insert(const Operand& keys, const Operand& values,
                            Where where) const {
  Operand operands[] = {Typed("TableInsert", keys, key_dtype_),
                        Typed("TableInsert", values, value_dtype_)};
  return UseHandle("TableInsert", handle_, operands, {}, where);
}

Tensor HashTable::find(const Operand& keys, const Operand& missing,
                       Where where) const {
  Operand operands[] = {Typed("TableFind", keys, key_dtype_),
                        Typed("TableFind", missing, value_dtype_)};
  return UseHandle("TableFind", handle_, operands, {}, where).output();
}

Operation HashTable::erase(const Operand& keys, Where where) const {
  Operand typed = Typed("TableErase", keys, key_dtype_);
  return UseHandle("TableErase", handle_, {&typed, 1}, {}, where);
}

Tensor HashTable::size(Where where) const {
  return UseHandle("TableSize", handle_, {}, {}, where).output();
}

HashTable::Entries HashTable::entries(Where where) const {
  Operation made = UseHandle("TableExport", handle_, {},
                             {{"key_dtype", key_dtype_},
                              {"value_dtype", value_dtype_},
                              {"value_shape", value_shape_}},
                             where);
  return {made.output(0), made.output(1)};
}

Operation Barrier::insert(int64_t component, const Operand& keys,
                          const Operand& values, Where where) const {
  auto i = static_cast<size_t>(component);
  Operand operands[] = {keys, i < dtypes_.size()
                                  ? Typed("BarrierInsert", values, dtypes_[i])
                                  : values};
  return UseHandle("BarrierInsert", handle_, operands,
                   {{"component", component}}, where);
}

std::vector<Tensor> Barrier::take(const Operand& n, bool allow_small_batch,
                                  Where where) const {
  return front_internal::Outputs(
      UseHandle("BarrierTake", handle_, {&n, 1},
                {{"dtypes", dtypes_},
                 {"shapes", shapes_},
                 {"allow_small_batch", allow_small_batch}},
                where));
}

Operation Barrier::close(bool cancel_pending, Where where) const {
  return UseHandle("BarrierClose", handle_, {},
                   {{"cancel_pending", cancel_pending}}, where);
}

Tensor Barrier::ready_size(Where where) const {
  return UseHandle("BarrierReadySize", handle_, {}, {}, where).output();
}

Tensor Barrier::incomplete_size(Where where) const {
  return UseHandle("BarrierIncompleteSize", handle_, {}, {}, where).output();
}

Tensor MutexHandle::acquire(Where where) const {
  return UseHandle("MutexAcquire", handle_, {}, {}, where).output();
}

Operation MutexHandle::release(const Operand& ticket, Where where) const {
  return UseHandle("MutexRelease", handle_, {&ticket, 1}, {}, where);
}

}  // namespace front

Accumulator accumulator(DType dtype, const PartialSizes& shape,
                        std::string_view reduction,
                        const ResourceOptions& options,
                        std::source_location where) {
  Attrs attrs{{"dtype", dtype},
              {"shape", shape.shape()},
              {"reduction", std::string(reduction)}};
  return Accumulator(MakeHandle("Accumulator", attrs, options, where), dtype,
                     shape.shape());
}

HashTable hash_table(DType key_dtype, DType value_dtype,
                     const PartialSizes& value_shape,
                     const ResourceOptions& options,
                     std::source_location where) {
  Attrs attrs{{"key_dtype", key_dtype},
              {"value_dtype", value_dtype},
              {"value_shape", value_shape.shape()}};
  return HashTable(MakeHandle("HashTable", attrs, options, where), key_dtype,
                   value_dtype, value_shape.shape());
}

Barrier barrier(const std::vector<DType>& dtypes,
                const std::vector<PartialSizes>& shapes,
                const ResourceOptions& options, std::source_location where) {
  Attrs attrs{{"dtypes", dtypes}, {"shapes", ShapesOf(shapes)}};
  return Barrier(MakeHandle("Barrier", attrs, options, where), dtypes,
                 ShapesOf(shapes));
}

MutexHandle mutex(const ResourceOptions& options, std::source_location where) {
  return MutexHandle(MakeHandle("Mutex", {}, options, where));
}

}  // namespace sluice
