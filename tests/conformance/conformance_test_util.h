// What the tests of this folder share. They ask of the whole system, through
// its public face, what docs/conformance.md lists.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sluice/front/every_way_test_util.h"

namespace sluice {

using Tensors = std::vector<Tensor>;

inline Array F(std::initializer_list<float> v) {
  return Array::Vector<float>(v);
}
inline Array F(float v) { return Array::Scalar<float>(v); }
inline Array I(int64_t v) { return Array::Scalar<int64_t>(v); }
inline Array B(bool v) { return Array::Scalar<bool>(v); }

inline Tensor Scalar(DType dtype, const char* name) {
  return placeholder(dtype, std::vector<int64_t>{}, name);
}

template <class T = float>
T Item(const Array& array) {
  std::vector<T> all = Elements<T>(array);
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? T() : all[0];
}

// Of what the statement throws; nothing when it throws no sluice::Error.
template <class S>
std::optional<Code> CodeOf(S&& statement) {
  try {
    statement();
  } catch (const Error& e) {
    return e.code();
  }
  return std::nullopt;
}

// Calls f once per executor: for graphs with state, which EveryWay cannot run
// twice.
inline void EachExecutor(const std::function<void(const RunOptions&)>& f) {
  for (auto [name, choice] : {std::pair("auto", ExecutorChoice::kAuto),
                              std::pair("tape", ExecutorChoice::kTape),
                              std::pair("tokens", ExecutorChoice::kTokens)}) {
    SCOPED_TRACE(name);
    RunOptions options;
    options.executor = choice;
    f(options);
  }
}

}  // namespace sluice
