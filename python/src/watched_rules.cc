#include "watched_rules.h"

#include <optional>

#include "code.h"
#include "guards.h"
#include "recorder.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"

namespace sluice::py {

namespace {

class WatchedRules final : public front_internal::RulesWatch {
 public:
  explicit WatchedRules(nb::object recorder) : recorder_(std::move(recorder)) {
    scope_.emplace(recorder_);
  }
  ~WatchedRules() override {
    TakeGil gil;
    scope_.reset();
    if (recorder_.is_valid()) {
      nb::error_scope kept;
      try {
        recorder_.attr("abandon")();
      } catch (nb::python_error& error) {
        error.discard_as_unraisable("what a hook or a backward has read");
      }
    }
    recorder_.reset();
  }
  std::function<bool()> Done() override {
    TakeGil gil;
    scope_.reset();
    nb::object made = std::move(recorder_);
    nb::object finished = made.attr("finish")(nb::none());
    if (nb::object writes = finished[1]; !writes.is_none()) {
      throw Error(Unimplemented(
          StrCat("a hook or a backward of the user's writes ",
                 nb::cast<std::string>(nb::object(writes[1].attr("text"))),
                 ", and runs once, when the gradient of a captured function is "
                 "built; wanted the gradient inside of the function")));
    }
    nb::list guards = nb::cast<nb::list>(finished[0]);
    if (guards.size() == 0) return {};
    Guards seen;
    seen.Add(guards);
    std::shared_ptr<Guards> kept = UnderGil(std::move(seen));
    return [kept] {
      TakeGil gil;
      return kept->Hold();
    };
  }

 private:
  nb::object recorder_;
  std::optional<RecorderScope> scope_;
};

}  // namespace

std::unique_ptr<front_internal::RulesWatch> WatchRules(nb::object recorder) {
  return std::make_unique<WatchedRules>(std::move(recorder));
}

}  // namespace sluice::py
