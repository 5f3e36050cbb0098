// SL_WANT: what a layer demands of its arguments. Throws the text with the
// user's line below; the text is made only then.
#pragma once

#include <source_location>

#include "sluice/base/error.h"
#include "sluice/base/source_line.h"
#include "sluice/base/strings.h"

namespace sluice::nn {

template <class... Text>
[[noreturn]] void Refuse(std::source_location where, const Text&... text) {
  throw Error(InvalidArgument(StrCat(text...))
                  .WithLine(StrCat("at ", SourceLine::From(where))));
}

}  // namespace sluice::nn

#define SL_WANT(ok, where, ...)                 \
  do {                                          \
    if (!(ok)) [[unlikely]]                     \
      ::sluice::nn::Refuse(where, __VA_ARGS__); \
  } while (0)
