// Numbers that a captured function receives as tensors, because they change
// from call to call. To the code they are still numbers: x * rate has the type
// of x. They are therefore passed as f64 or i64 and are weak operands
// (operand.h).
//
// Per thread, while the function is recorded.
#pragma once

#include <algorithm>
#include <span>
#include <unordered_set>
#include <vector>

#include "operand.h"
#include "sluice/graph/value.h"
#include "sluice/op/record.h"
#include "sluice/trace/region_draft.h"

namespace sluice::py {

class WeakNumbers {
 public:
  // Replaces the numbers of this thread for a nested recording.
  explicit WeakNumbers(const std::vector<Value>& numbers)
      : given_(numbers),
        numbers_(numbers.begin(), numbers.end()),
        outer_(current_) {
    current_ = this;
  }
  ~WeakNumbers() { current_ = outer_; }
  WeakNumbers(const WeakNumbers&) = delete;
  WeakNumbers& operator=(const WeakNumbers&) = delete;

  static bool Has(const Tensor& t) {
    return current_ && t.defined() && t.symbolic() &&
           current_->Contains(t.value());
  }
  // Whether the tensor is a number argument of the function being recorded.
  static bool IsGiven(const Tensor& t) {
    return current_ && t.defined() && t.symbolic() &&
           std::ranges::find(current_->given_, t.value()) !=
               current_->given_.end();
  }
  // Results of Python's operators on such numbers are numbers too.
  static void Add(const Tensor& t) {
    if (current_ && t.symbolic()) current_->numbers_.insert(t.value());
  }
  // Makes operands that are such numbers weak, except in the op that converts
  // them. In operations with tensors this includes results of branches, loops,
  // float() and int(); among themselves those keep full precision.
  static void Mark(const OpRecord& op, std::span<Given> inputs) {
    if (!current_) return;
    bool other = op.role != Role::kCast;
    auto number = [](const Given& in) {
      return in.tensor.defined() && front_internal::IsNumber(in.tensor);
    };
    bool tensors = false;
    for (const Given& in : inputs) {
      tensors =
          tensors || (in.tensor.defined() && !number(in) && !Has(in.tensor));
    }
    for (Given& in : inputs) {
      if (in.typed) continue;
      if (Has(in.tensor) || (tensors && number(in))) in.weak = other;
    }
  }

 private:
  bool Contains(const Value& value) const {
    return numbers_.contains(value) || (outer_ && outer_->Contains(value));
  }

  const std::vector<Value> given_;
  std::unordered_set<Value, ValueHash> numbers_;
  WeakNumbers* outer_;
  static inline thread_local WeakNumbers* current_ = nullptr;
};

}  // namespace sluice::py
