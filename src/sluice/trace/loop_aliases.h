// LoopAliases: which tensors outside a loop its variables may alias, from one
// iteration to the next. An in-place write to one of them also writes the
// other.
//
// Lives on the stack of the function that records the loop.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "sluice/trace/capture.h"
#include "sluice/trace/memory_of.h"
#include "sluice/trace/region_draft.h"

namespace sluice::front_internal {

class LoopAliases {
 public:
  using Perhaps = TraceState::Perhaps;

  LoopAliases(Capture* capture, const std::vector<Tensor>& inits) {
    all_.resize(inits.size());
    std::vector<EagerRef> values(inits.size());
    for (size_t i = 0; i < inits.size() && capture; ++i) {
      if (IsNumber(inits[i])) continue;
      EagerRef value = capture->ValueOf(inits[i]);
      all_[i] = value->traced->perhaps;
      EagerRef base = MemoryOf(value);
      for (size_t j = 0; j < i; ++j) {
        if (values[j] && Capture::MayShare(*values[j], *value)) {
          InsertAlike(j, i);
        }
      }
      values[i] = value;
      Insert(i, base,
             value->view_of ? Perhaps::How::kLook : Perhaps::How::kWhole);
    }
  }
  // True if an iteration adds a possible alias.
  bool Add(size_t i, const RecordedRegion& body) {
    if (body.numbers[i]) return false;
    bool more = false;
    if (const EagerRef& same = body.same[i]) {
      more = Insert(i, MemoryOf(same), Perhaps::How::kLook);
    }
    for (const Perhaps& p : body.perhaps[i]) {
      more = Insert(i, p.other, p.how) || more;
    }
    return more;
  }
  // Adds variables that may be the same tensor, before the loop or after an
  // iteration.
  bool AddAlike(const RecordedRegion& body) {
    bool more = false;
    for (const RecordedRegion::Alike& a : body.alike) {
      more = InsertAlike(a.first, a.second) || more;
    }
    return more;
  }
  void Tell(Capture& capture, const std::vector<Tensor>& outputs) const {
    for (const auto& [a, b] : alike_) {
      const EagerRef& x = outputs[a].identity();
      const EagerRef& y = outputs[b].identity();
      capture.MayBe(*x, y, Perhaps::How::kWhole);
      capture.MayBe(*y, x, Perhaps::How::kWhole);
    }
  }
  const std::vector<std::pair<size_t, size_t>>& alike() const { return alike_; }
  const std::vector<std::vector<Perhaps>>& all() const { return all_; }

 private:
  bool Insert(size_t i, const EagerRef& other, Perhaps::How how) {
    for (const Perhaps& known : all_[i]) {
      if (known.other == other) return false;
    }
    all_[i].push_back({other, other->writes().count, how});
    return true;
  }

  bool InsertAlike(size_t a, size_t b) {
    std::pair<size_t, size_t> pair{a, b};
    if (std::find(alike_.begin(), alike_.end(), pair) != alike_.end()) {
      return false;
    }
    alike_.push_back(pair);
    return true;
  }

  std::vector<std::vector<Perhaps>> all_;
  std::vector<std::pair<size_t, size_t>> alike_;
};

}  // namespace sluice::front_internal
