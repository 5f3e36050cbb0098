// ParallelCursor: jobs taken one after another, processed by several threads,
// with results in the order of the jobs. Threaded maps, batches made by workers
// and prefetch are instances with different jobs.
//
// The first Next() starts the threads. The destructor joins them: it waits for
// jobs in progress and drops the others. An error is returned in its place,
// after the results before it, and again by every later Next().
#pragma once

#include "sluice/data/stage.h"

namespace sluice::data {

struct Job {
  int64_t number =
      0;  // 0, 1, ... since the cursor was opened, skipped ones too
  Element element;
  std::vector<int64_t> rows;
};

// The source of jobs, and their processing.
class JobSource {
 public:
  virtual ~JobSource() = default;
  // The next job, without its number; false at the end. One thread at a time.
  virtual Result<bool> Take(Job* job) = 0;
  // Called by many threads concurrently.
  virtual Result<Element> Work(Job& job) const = 0;
  virtual Status Skip(int64_t n) = 0;
};

// `window`: the maximum number of results and jobs in progress. With threads 0
// the caller processes jobs.
std::unique_ptr<Cursor> ParallelCursor(std::unique_ptr<JobSource> source,
                                       int threads, int64_t window);

}  // namespace sluice::data
