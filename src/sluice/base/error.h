// sluice::Error: the exception of the public API, created from a Status at the
// boundary between the engine (values) and the user's program (exceptions).
#pragma once

#include <stdexcept>

#include "sluice/base/status.h"

namespace sluice {

class Error : public std::runtime_error {
 public:
  explicit Error(const Status& status)
      : std::runtime_error(status.message()), code_(status.code()) {}
  Code code() const { return code_; }

 private:
  Code code_;
};

inline void ThrowIfError(const Status& status) {
  if (!status.ok()) [[unlikely]]
    throw Error(status);
}

template <class T>
T ValueOrThrow(Result<T> result) {
  if (!result.ok()) [[unlikely]]
    throw Error(result.status());
  return std::move(result).value();
}

}  // namespace sluice
