// Check: what a layer demands of its arguments. Throws the text with the user's
// line below.
#pragma once

#include <source_location>

#include "sluice/base/error.h"
#include "sluice/base/source_line.h"
#include "sluice/base/strings.h"

namespace sluice::nn {

template <class... Text>
void Check(bool ok, std::source_location where, const Text&... text) {
  if (ok) [[likely]]
    return;
  throw Error(InvalidArgument(StrCat(text...))
                  .WithLine(StrCat("at ", SourceLine::From(where))));
}

}  // namespace sluice::nn
