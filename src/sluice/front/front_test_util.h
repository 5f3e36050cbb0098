// What the tests of the public face share.
#pragma once

#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include <string>

#include "sluice/graph/node.h"
#include "sluice/tensor/remote_copy.h"

namespace sluice {

// What the statement says when it throws sluice::Error; "" when it does not.
template <class F>
std::string ErrorOf(F&& statement) {
  try {
    statement();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

template <class T>
std::vector<T> Elements(const Array& array) {
  EXPECT_EQ(array.dtype(), DTypeOf<T>::value);
  Array here = ValueOrThrow(RemoteCopy::To(array, nullptr));
  Array row = *here.AsContiguous();
  return std::vector<T>(row.data<T>(), row.data<T>() + row.num_elements());
}

inline bool Contains(const std::string& text, std::string_view part) {
  bool found = text.find(part) != std::string::npos;
  EXPECT_TRUE(found) << "\"" << part << "\" is not in:\n" << text;
  return found;
}

}  // namespace sluice
