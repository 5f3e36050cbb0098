// AutocastRule: in which precision an op computes under Autocast
// (eager/autocast.h). Said in the op's file, below the record:
//
//   SL_AUTOCAST(MatMul, kLow);
//
// Apart from the record, which every op's file reads and most need not know
// this. Made before main(), never changed afterwards; any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sluice {

enum class AutocastRule : uint8_t {
  kAsGiven,  // no rule: in the types of its operands
  kLow,      // products: hardware is fast at them, and sums in f32
  kF32,      // large sums, functions that leave f16's range, losses
  kFirst,    // computes in f32 inside: parameters in the type of the values
};

// That of the op of this name.
AutocastRule AutocastRuleOf(std::string_view op);
// Names of the ops that have one, sorted.
std::vector<std::string_view> OpsWithAutocastRules();

namespace autocast_internal {
bool Add(std::string_view op, AutocastRule rule);
}  // namespace autocast_internal

}  // namespace sluice

#define SL_AUTOCAST(Name, rule)                           \
  [[maybe_unused]] static const bool sl_autocast_##Name = \
      ::sluice::autocast_internal::Add(#Name, ::sluice::AutocastRule::rule)
