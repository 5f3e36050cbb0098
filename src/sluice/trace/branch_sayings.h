// Extra results that branches return to describe those of their results whose
// properties are known only at run time (trace/merged_flow.h).
//
// Plain values, owned by the function that records the branches.
#pragma once

#include <deque>
#include <vector>

#include "sluice/trace/merged_flow.h"

namespace sluice::front_internal {

// One run-time property of a result, returned by each branch as one more
// result.
struct Saying {
  std::vector<Value> said;  // by branch; none: `known` holds the value
  std::vector<Array> known;
};

// Whether gradients flow through result k, or through a written tensor, where
// the branches differ.
struct FlowSaying : Saying {
  bool some = false, all = true, open = false;
  void Add(bool flows, Value when) {
    some = some || flows;
    all = all && flows;
    open = open || when;
    said.push_back(when);
    known.push_back(Array::Scalar<bool>(flows));
  }
  bool differ() const { return open || (some && !all); }
};

// Which tensor outside the function result k is, where the branches return
// different ones, or only some return one.
struct WhichSaying : Saying {
  bool some = false;
  void Add(const WhichEntry& which) {
    some = some || !which.none();
    said.push_back(which.told);
    known.push_back(Array::Scalar<int64_t>(which.entry));
  }
};

// Where the gradients of results flow, and the extra results that tell in which
// runs: one for each set of destinations that the branches treat alike.
class ReachSayings {
 public:
  // The reach of one result in each branch. `first` is the index of the first
  // of these extra results; existing ones are reused.
  ReachesTold Add(const std::vector<const Reach*>& branches, size_t first) {
    ReachesTold made;
    for (const Reach* reach : branches) {
      for (const Reached& to : *reach) {
        bool known = false;
        for (const ReachTold& other : made) known |= other.key == to.key;
        if (known) continue;
        Saying said = Of(branches, to.key);
        made.push_back({to.key, All(said) ? -1 : Number(said, first)});
      }
    }
    return made;
  }
  const std::deque<Saying>& all() const { return all_; }

 private:
  static Saying Of(const std::vector<const Reach*>& branches,
                   const TapeKey& key) {
    Saying made;
    for (const Reach* reach : branches) {
      bool there = false;
      Value when;
      for (const Reached& to : *reach) {
        if (!(to.key == key)) continue;
        there = true;
        when = to.when;
      }
      made.said.push_back(when);
      made.known.push_back(Array::Scalar<bool>(there));
    }
    return made;
  }
  static bool All(const Saying& saying) {
    bool all = true;
    for (size_t i = 0; i < saying.said.size(); ++i) {
      all = all && !saying.said[i] && *saying.known[i].data<bool>();
    }
    return all;
  }
  int Number(Saying& saying, size_t first) {
    for (size_t i = 0; i < all_.size(); ++i) {
      bool same = all_[i].said == saying.said;
      for (size_t k = 0; same && k < saying.known.size(); ++k) {
        same = all_[i].known[k].BitEquals(saying.known[k]);
      }
      if (same) return static_cast<int>(first + i);
    }
    all_.push_back(std::move(saying));
    return static_cast<int>(first + all_.size() - 1);
  }

  std::deque<Saying> all_;
};

}  // namespace sluice::front_internal
