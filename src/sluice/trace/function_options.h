// How sl::function records, and what it says of each recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice {

struct TraceInfo {
  std::string signature;    // "f32[?,?], i64[?]"
  std::string why;          // "the first call", "argument 1 is f64; ..."
  double milliseconds = 0;  // it took to record
  int64_t nodes = 0;
  int64_t captured = 0;  // tensors of the program around it
  int64_t calls = 0;
};

struct FunctionOptions {
  std::string name = "function";
  // Traces kept; the one used longest ago goes first.
  size_t max_traces = 32;
  // Refuse code that does not become one graph whatever its values are. Else
  // such code is recorded for the ways that values of calls decide.
  bool one_graph = false;
};

}  // namespace sluice
