// The values that imperative code would keep for the gradients of a captured
// function's results, because gradient rules of its calls read them. Writing
// one in place before the gradient is taken is an error there, so it is an
// error here, although the function keeps only its inputs and recomputes the
// rest.
//
// Collected when the recording ends; plain values.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/trace/capture.h"

namespace sluice::front_internal {

// A value kept by a call that a result depends on.
struct KeptValue {
  WriteLog* log;
  uint32_t count;         // writes to it when it was kept
  std::string before;     // "[Mul] b"
  std::string type;       // "f32[?]", as far as it is known
  std::string after;      // "; wanted it as it was at model.py:7: ..."
  bool on_a_way = false;  // only if a branch is taken or a loop runs
};

// The values with one of these logs that are kept by the calls `value` depends
// on.
std::vector<KeptValue> KeptFor(
    const EagerValue& value,
    const std::unordered_map<const WriteLog*, size_t>& logs);

// The same for calls recorded since `since` values had been made, and for
// memory that is not among `own` or was written since.
std::vector<KeptValue> KeptSince(
    const EagerValue& value, uint64_t since,
    const std::unordered_set<const WriteLog*>& own);

// The message for a log whose write count differs from the one noted.
std::string OverwrittenText(const std::string& before, const std::string& type,
                            const WriteLog& log, const std::string& after);

}  // namespace sluice::front_internal
