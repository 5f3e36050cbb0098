#include "sluice/tensor/remote_copy.h"

#include "sluice/base/error.h"

namespace sluice {

namespace {

RemoteCopyFn remote_copy = nullptr;

bool OutOfReach(const Array& array) {
  return !array.on_host() && OpenMemory::Current() != array.memory();
}

}  // namespace

bool RemoteCopy::Needed(const Array& from, const Array& to) {
  return OutOfReach(from) || OutOfReach(to);
}

void RemoteCopy::Run(const Array& from, const Array& to) {
  SL_CHECK(remote_copy);
  Status status = remote_copy(from, to);
  if (!status.ok()) throw Error(status);
}

bool RemoteCopy::Set(RemoteCopyFn fn) {
  remote_copy = fn;
  return true;
}

}  // namespace sluice
