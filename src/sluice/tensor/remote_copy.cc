#include "sluice/tensor/remote_copy.h"

#include "sluice/base/error.h"

namespace sluice {

namespace {

RemoteCopyFn remote_copy = nullptr;
CopyToMemoryFn copy_to_memory = nullptr;

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

Result<Array> RemoteCopy::To(const Array& from, Memory* memory) {
  if (from.memory() == memory) return from;
  SL_CHECK(copy_to_memory);
  return copy_to_memory(from, memory);
}

bool RemoteCopy::Set(RemoteCopyFn copy, CopyToMemoryFn copy_to) {
  remote_copy = copy;
  copy_to_memory = copy_to;
  return true;
}

}  // namespace sluice
