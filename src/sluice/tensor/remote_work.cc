#include "sluice/tensor/remote_work.h"

#include <array>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

struct Functions {
  RemoteWork::AddFn add = nullptr;
  RemoteWork::ZeroFn zero = nullptr;
};

Functions& FunctionsOf(DeviceKind kind) {
  static std::array<Functions, kNumDeviceKinds> all;
  return all[static_cast<size_t>(kind)];
}

Status NoWork(const Array& array) {
  return Unimplemented(StrCat("[RemoteWork] ", array.TypeText(), " is on ",
                              DeviceNameOf(array.memory()),
                              ", which does no work for lists and state"));
}

}  // namespace

bool RemoteWork::Needed(const Array& array) {
  return !array.on_host() && OpenMemory::Current() != array.memory();
}

Status RemoteWork::Add(const Array& a, const Array& b, bool subtract,
                       const Array& out) {
  AddFn add = FunctionsOf(out.memory()->kind()).add;
  return add ? add(a, b, subtract, out) : NoWork(out);
}

Status RemoteWork::Zero(const Array& to) {
  ZeroFn zero = FunctionsOf(to.memory()->kind()).zero;
  return zero ? zero(to) : NoWork(to);
}

bool RemoteWork::Set(DeviceKind kind, AddFn add, ZeroFn zero) {
  FunctionsOf(kind) = {add, zero};
  return true;
}

}  // namespace sluice
