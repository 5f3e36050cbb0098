// How sl::function records, and its report on each recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice {

struct TraceInfo {
  std::string signature;    // "f32[?,?], i64[?]"
  std::string why;          // "the first call", "argument 1 is f64; ..."
  double milliseconds = 0;  // recording time
  int64_t nodes = 0;
  int64_t captured = 0;  // captured tensors
  int64_t calls = 0;
};

struct FunctionOptions {
  std::string name = "function";
  // Traces kept; the least recently used is dropped first.
  size_t max_traces = 32;
  // Refuse code that does not become one graph for all values. Otherwise such
  // code is recorded for the paths that the values of calls select.
  bool one_graph = false;
};

}  // namespace sluice
