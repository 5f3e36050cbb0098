// CallCard: a rank's description of the collective it calls, for comparison
// with those of other ranks: op, type and shape, reduction, root, and its
// number among the group's calls.
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
  std::string type;            // e.g. "f32[4]"
  std::string_view reduction;  // "sum", or nothing
  int root = -1;               // none
  SourceLine line;
  uint64_t sequence = 0;
  // A message between two ranks, one of which calls send and the other recv;
  // `root` is the other rank.
  bool message = false;

  // The card as bytes, of the same size for every call. Long text is truncated;
  // the fingerprint covers all of it.
  struct Wire {
    uint64_t sequence;
    uint64_t fingerprint;
    char text[240];
  };

  // "all_reduce(f32[4], sum) at train.py:12"; the line is not compared.
  std::string Text() const;
  Wire ToWire() const;
};

// Error: the cards differ; it describes both sides.
Status CompareCards(const CallCard::Wire& a, const std::string& a_name,
                    const CallCard::Wire& b, const std::string& b_name);

}  // namespace sluice::collective
