// ParallelCursor: jobs taken one after another, worked on by several threads,
// results in the order of the jobs. Threaded maps, batches made by workers and
// prefetch are this with different jobs.
//
// Threads start with the first Next() and are joined by the destructor, which
// waits for the jobs being worked on and drops those that are not. An error
// comes out in its place, after the results before it, and again at every
// later Next().
#pragma once

#include "sluice/data/stage.h"

namespace sluice::data {

struct Job {
  int64_t number =
      0;  // 0, 1, ... since the cursor was opened, skipped ones too
  Element element;
  std::vector<int64_t> rows;
};

// Where jobs come from and what is done with them.
class JobSource {
 public:
  virtual ~JobSource() = default;
  // The next job but its number; false at the end. One thread at a time.
  virtual Result<bool> Take(Job* job) = 0;
  // Many threads at a time.
  virtual Result<Element> Work(Job& job) const = 0;
  virtual Status Skip(int64_t n) = 0;
};

// `window`: results and jobs under way at most. With threads 0 the caller
// works.
std::unique_ptr<Cursor> ParallelCursor(std::unique_ptr<JobSource> source,
                                       int threads, int64_t window);

}  // namespace sluice::data
