#include "sluice/fleet/admission.h"

#include <algorithm>

#include "sluice/base/strings.h"

namespace sluice::distributed {

Admission::Admission(int workers, int admitted, int64_t first_step)
    : step_(first_step),
      wanted_(static_cast<size_t>(admitted)),
      next_wanted_(wanted_),
      token_(static_cast<size_t>(workers), kNone),
      dropped_(static_cast<size_t>(workers), 0) {
  SL_CHECK(admitted >= 1 && admitted <= workers);
}

std::vector<int> Admission::Release() {
  std::vector<int> released;
  for (int w = 0; w < workers(); ++w) {
    int64_t& token = token_[static_cast<size_t>(w)];
    // A worker admitted to this step has already delivered.
    bool in =
        std::find(admitted_.begin(), admitted_.end(), w) != admitted_.end();
    if (token != kNone || in) continue;
    token = step_;
    released.push_back(w);
  }
  return released;
}

Result<Admission::Verdict> Admission::Arrive(int worker, int64_t step) {
  if (worker < 0 || worker >= workers()) {
    return InvalidArgument(StrCat("a gradient of worker ", worker,
                                  "; wanted 0 to ", workers() - 1));
  }
  int64_t& token = token_[static_cast<size_t>(worker)];
  if (token != step) {
    return InvalidArgument(StrCat(
        "worker ", worker, " hands in a gradient of step ", step, "; wanted ",
        token == kNone ? StrCat("none, for it has no token")
                       : StrCat("one of step ", token)));
  }
  token = kNone;
  if (step != step_ || complete()) {
    ++dropped_[static_cast<size_t>(worker)];
    return Verdict::kLate;
  }
  admitted_.push_back(worker);
  return Verdict::kAdmitted;
}

std::vector<int> Admission::Advance() {
  SL_CHECK(complete());
  std::vector<int> members = std::move(admitted_);
  std::sort(members.begin(), members.end());
  admitted_.clear();
  ++step_;
  wanted_ = next_wanted_;
  return members;
}

void Admission::set_admitted(int admitted) {
  SL_CHECK(admitted >= 1 && admitted <= workers());
  next_wanted_ = static_cast<size_t>(admitted);
  if (admitted_.empty()) wanted_ = next_wanted_;
}

std::vector<int> Admission::Outstanding() const {
  std::vector<int> out;
  for (int w = 0; w < workers(); ++w) {
    if (token_[static_cast<size_t>(w)] != kNone) out.push_back(w);
  }
  return out;
}

}  // namespace sluice::distributed
