// RowSchedule: which examples of a batch run at which step, when they are of
// different lengths; and sequences [steps, batch, ...] as the rows that are
// really there, one step after the other, and back.
//
// Examples are in order of length, shortest first: those that run at a step are
// the last ones, those that leave after it the first of them. So what leaves,
// put together as it comes, is in that order again.
//
// A value of handles, in a graph or imperative as the lengths are.
#pragma once

#include <source_location>
#include <vector>

#include "sluice/eager/tensor.h"

namespace sluice::nn {

struct RowSchedule {
  Tensor order;     // [batch] of which example each place is
  Tensor places;    // [batch] the place of each example
  Tensor steps;     // the largest length; one of no rows if that is 0
  Tensor counts;    // [steps] examples that run at a step
  Tensor leaving;   // [steps] of which this step is the last
  Tensor without;   // examples of length 0
  Tensor batch;     // examples
  Tensor rows;      // [n] of each row its place among [time * batch]
  Tensor mirrored;  // [n] of each row the one as far from the other end
  Tensor time;      // of the padded sequences
};

// For sequences like x [time, batch, ...]. Lengths that are no vector of
// integers throw; those below 0 or above time are an error when it runs.
RowSchedule MakeSchedule(const Tensor& x, const Tensor& lengths,
                         std::source_location where);

// Rows [n, ...] of a sequence [time, batch, ...], and back: zeros where there
// is none.
Tensor PackRows(const RowSchedule& schedule, const Tensor& x,
                std::source_location where);
Tensor PadRows(const RowSchedule& schedule, const Tensor& rows,
               std::source_location where);

// The last `count` of `of` rows; the first `count`.
Tensor LastRows(const Tensor& x, const Tensor& count, const Tensor& of,
                std::source_location where);
Tensor FirstRows(const Tensor& x, const Tensor& count,
                 std::source_location where);

}  // namespace sluice::nn
