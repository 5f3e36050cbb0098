// MadeOnce: the variables that the body of a captured function makes. They
// belong to the function: the first run of the body makes them, every other
// (one for each trace, and those a gradient or a NaN trap asks for) finds them.
//
// A variable is known by its line, and by how often that line came before in
// the run. Runs on several threads take turns, as the function's calls do.
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
    // The variable of this line, made when there is none.
    Tensor Get(const SourceLine& line, const std::function<Tensor()>& make);
    // How far the run has come, and back to there: a part of the body that is
    // recorded again finds its variables again.
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
