// The values that imperative code would keep for the gradients of a captured
// function's results, because rules of its calls read them. Writing one in
// place before the gradient is taken is an error there, so it is one here,
// though the function keeps only its inputs and computes the rest again.
//
// Found when the recording ends; plain values.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/trace/capture.h"

namespace sluice::front_internal {

// A value that a call has kept on the way to a result.
struct KeptValue {
  WriteLog* log;
  uint32_t count;         // writes to it when it was kept
  std::string before;     // "[Mul] b"
  std::string type;       // "f32[?]", as far as it is known
  std::string after;      // "; wanted it as it was at model.py:7: ..."
  bool on_a_way = false;  // only where a branch is taken, a loop is run
};

// What is kept of values with such a log by the calls a value was made by.
std::vector<KeptValue> KeptFor(
    const EagerValue& value,
    const std::unordered_map<const WriteLog*, size_t>& logs);

// The same of calls recorded since so many values were made, of memory that is
// not among `own`, or was written since.
std::vector<KeptValue> KeptSince(
    const EagerValue& value, uint64_t since,
    const std::unordered_set<const WriteLog*>& own);

// The message, when the log has others than `count` writes.
std::string OverwrittenText(const std::string& before, const std::string& type,
                            const WriteLog& log, const std::string& after);

}  // namespace sluice::front_internal
