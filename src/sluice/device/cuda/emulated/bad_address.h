// AddressWatch: stops a kernel of the emulated GPU that reads or writes where
// there is no memory, and says so, where the program would end.
//
//   AddressWatch watch;
//   if (sigsetjmp(watch.back(), 0) == 0) { ... run it ... }
//   else { ... watch.text() ... }
//
// A thread watches for itself, one at a time; what happens in other threads
// ends the program as it always does. On the stack of whoever runs kernels.
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
  // The one this thread has, or null. For the handler of signals.
  static AddressWatch* Current();
  [[noreturn]] void Leave(uintptr_t address);

  // "touches the address 0x12, where it has no memory".
  std::string text() const;

 private:
  sigjmp_buf back_;
  uintptr_t address_ = 0;
};

}  // namespace sluice::emulated
