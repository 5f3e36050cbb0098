// MadeOnce: the variables that the body of a captured function makes. They
// belong to the function: the first run of the body makes them, and every later
// run (one for each trace, and those for a gradient or a NaN trap) finds them.
//
// A variable is identified by its source line and by how often that line has
// run before in the same run. Runs on several threads take turns, as the
// function's calls do.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sluice/eager/tensor.h"

namespace sluice::front_internal {

class MadeOnce {
 public:
  // One run of the body, on this thread.
  class Run {
   public:
    explicit Run(std::shared_ptr<MadeOnce> owner);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    // The innermost one; null outside of captured functions.
    static Run* Current();
    // The variable of this line, made on first use.
    Tensor Get(const SourceLine& line, const std::function<Tensor()>& make);
    // Returns, and restores, the position in the run: a part of the body that
    // is recorded again finds its variables again.
    size_t Mark() const { return met_.size(); }
    void Rewind(size_t mark) { met_.resize(mark); }

   private:
    std::shared_ptr<MadeOnce> owner_;
    Run* outer_;
    std::vector<SourceLine> met_;
  };

 private:
  struct Made {
    SourceLine line;
    size_t nth;
    Tensor tensor;
  };
  std::vector<Made> made_;
};

}  // namespace sluice::front_internal
