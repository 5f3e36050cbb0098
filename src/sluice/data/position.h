// Position: a pass over a pipeline, and where it stands: which pass, and how
// many elements whoever reads has received. What threads have made ahead of
// that does not count.
//
// As text it is a line of JSON without any data in it:
//   {"pipeline": "tensors(100) > shuffle(50, seed 7) > batch(8)",
//    "epoch": 2, "taken": 31}
// Going there skips what was taken: rows of a table by their numbers alone,
// else by reading it again. Functions of maps are not called for it, where
// nothing after them (a shuffle, a filter) needs the result.
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

  // False at the end of the pass. What a stage throws comes out here, and again
  // at every later call; its threads are gone then.
  bool Next(Element* element);

  // The beginning of a pass.
  void Start(uint64_t epoch);

  uint64_t epoch() const { return epoch_; }
  int64_t taken() const { return taken_; }
  bool ended() const { return ended_; }

  std::string State() const;
  // Throws, and stays where it is, when the text is no position of this
  // pipeline.
  void Restore(const std::string& state);

 private:
  void Open();

  StageRef stage_;
  uint64_t epoch_ = 0;
  int64_t taken_ = 0;
  bool ended_ = false;
  Status status_;
  std::unique_ptr<Cursor> cursor_;  // opened when an element is asked for
};

}  // namespace sluice::data
