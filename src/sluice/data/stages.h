// Constructors of stages; data/dataset.h has the user-level calls. They throw
// sluice::Error for invalid arguments.
#pragma once

#include "sluice/data/options.h"
#include "sluice/data/stage.h"

namespace sluice::data {

// Sources. Tensors are imperative; axis 0 counts the elements.
StageRef TensorSource(const Element& tensors, std::string name = "tensors");
StageRef TableSource(std::shared_ptr<const Table> table, int64_t rows,
                     std::string name);
// `start` returns the function that produces the elements of one pass.
StageRef GeneratorSource(std::function<ElementSource()> start,
                         std::string name = "generator");
StageRef RangeSource(int64_t begin, int64_t end, int64_t step);

StageRef MapStage(StageRef before, ElementFn fn, bool random,
                  MapOptions options);
StageRef FilterStage(StageRef before, ElementTest test);
StageRef ScaleStage(StageRef before, size_t component, float factor);

StageRef ShuffleStage(StageRef before, int64_t buffer, uint64_t seed);
StageRef ShardStage(StageRef before, int64_t index, int64_t count);
StageRef TakeStage(StageRef before, int64_t n);
StageRef SkipStage(StageRef before, int64_t n);
StageRef RepeatStage(StageRef before, int64_t times);  // kForever

StageRef BatchStage(StageRef before, int64_t n, BatchOptions options);
StageRef PaddedBatchStage(StageRef before, int64_t n,
                          PaddedBatchOptions options);
StageRef ZipStage(StageRef before, StageRef other);
StageRef ConcatStage(StageRef before, StageRef after);
StageRef PrefetchStage(StageRef before, int64_t n);
StageRef CacheStage(StageRef before);

// Throws unless the condition holds.
void Want(bool condition, const std::string& message);

}  // namespace sluice::data
