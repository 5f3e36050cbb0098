// Position: a pass over a pipeline and the current position: the pass number
// and how many elements the consumer has received. Elements that threads have
// prepared ahead do not count.
//
// As text it is a line of JSON without data:
//   {"pipeline": "tensors(100) > shuffle(50, seed 7) > batch(8)",
//    "epoch": 2, "taken": 31}
// Restoring skips what was taken: table rows by number alone, other elements by
// reading them again. Functions of maps are not called for skipped elements
// unless a later stage (a shuffle, a filter) needs the results.
//
// One thread at a time. Throws sluice::Error.
#pragma once

#include <memory>
#include <string>

#include "sluice/data/stage.h"

namespace sluice::data {

class Position {
 public:
  explicit Position(StageRef stage, uint64_t epoch = 0);
  ~Position();

  // False at the end of the pass. An exception of a stage is thrown here, and
  // again by every later call; its threads have ended by then.
  bool Next(Element* element);

  // Moves to the beginning of a pass.
  void Start(uint64_t epoch);

  uint64_t epoch() const { return epoch_; }
  int64_t taken() const { return taken_; }
  bool ended() const { return ended_; }

  std::string State() const;
  // Throws, and keeps the current position, if the text is no position of this
  // pipeline.
  void Restore(const std::string& state);

 private:
  void Open();

  StageRef stage_;
  uint64_t epoch_ = 0;
  int64_t taken_ = 0;
  bool ended_ = false;
  Status status_;
  std::unique_ptr<Cursor> cursor_;  // opened on demand
};

}  // namespace sluice::data
