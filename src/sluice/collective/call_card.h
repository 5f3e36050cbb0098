// CallCard: what one rank says of the collective it calls, to be compared with
// what the others say: op, type and shape, reduction, root, and which call of
// the group it is.
//
// A value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/base/source_line.h"
#include "sluice/base/status.h"

namespace sluice::collective {

struct CallCard {
  std::string_view name;       // "all_reduce", of static storage
  std::string type;            // "f32[4]"
  std::string_view reduction;  // "sum", or nothing
  int root = -1;               // none
  SourceLine line;
  uint64_t sequence = 0;
  // Between two ranks, one of which calls send and the other recv; `root` is
  // the other one.
  bool message = false;

  // All of it as bytes, of one size for every call. What does not fit of the
  // text is cut; the fingerprint is of the whole.
  struct Wire {
    uint64_t sequence;
    uint64_t fingerprint;
    char text[240];
  };

  // "all_reduce(f32[4], sum) at train.py:12"; the line is no part of what is
  // compared.
  std::string Text() const;
  Wire ToWire() const;
};

// Error: they are not of one collective, with both sides.
Status CompareCards(const CallCard::Wire& a, const std::string& a_name,
                    const CallCard::Wire& b, const std::string& b_name);

}  // namespace sluice::collective
