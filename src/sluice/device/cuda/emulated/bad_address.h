// AddressWatch: catches a kernel of the emulated GPU that accesses memory it
// does not have, and reports it instead of ending the program.
//
//   AddressWatch watch;
//   if (sigsetjmp(watch.back(), 0) == 0) { ... run it ... }
//   else { ... watch.text() ... }
//
// Each thread has at most one watch, for its own accesses; bad accesses of
// other threads end the program as usual. Lives on the stack of the thread that
// runs kernels.
#pragma once

#include <csetjmp>
#include <cstdint>
#include <string>

namespace sluice::emulated {

class [[nodiscard]] AddressWatch {
 public:
  AddressWatch();
  ~AddressWatch();
  AddressWatch(const AddressWatch&) = delete;
  AddressWatch& operator=(const AddressWatch&) = delete;

  sigjmp_buf& back() { return back_; }
  // The watch of this thread, or null. For the signal handler.
  static AddressWatch* Current();
  [[noreturn]] void Leave(uintptr_t address);

  // "touches the address 0x12, where it has no memory".
  std::string text() const;

 private:
  sigjmp_buf back_;
  uintptr_t address_ = 0;
};

}  // namespace sluice::emulated
