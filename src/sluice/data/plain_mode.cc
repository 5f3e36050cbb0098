#include "sluice/data/plain_mode.h"

#include <new>

#include "sluice/base/caught.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/scope.h"

namespace sluice::data {

namespace {

class PlainMode : front_internal::SavedBuilding {
 public:
  PlainMode() { front_internal::Building::Current() = {}; }

 private:
  NoGrad no_grad_;
};

}  // namespace

Status RunPlainly(const std::function<void()>& code,
                  const std::function<std::string()>& who) {
  try {
    PlainMode plain;
    code();
    return OkStatus();
  } catch (const Error& e) {
    return Status(e.code(), StrCat(who(), ": ", e.what()));
  } catch (const std::bad_alloc&) {
    return NoMemory();
  } catch (const std::exception& e) {
    return Aborted(StrCat(who(), ": ", e.what()));
  } catch (...) {
    return Aborted(StrCat(who(), ": threw what is no std::exception"));
  }
}

}  // namespace sluice::data
