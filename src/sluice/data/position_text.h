// The text form of a position (data/position.h), and its parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/status.h"

namespace sluice::data {

struct PositionText {
  std::string pipeline;
  uint64_t epoch = 0;
  int64_t taken = 0;

  std::string ToText() const;
  // Error: DataLoss, with the offending byte.
  static Result<PositionText> Parse(std::string_view text);
};

}  // namespace sluice::data
