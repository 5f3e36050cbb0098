#include "sluice/tensor/adopt.h"

#include "sluice/tensor/counted_allocator.h"

namespace sluice {

namespace {
CountedAllocator& BooksOf(Memory& memory) {
  return static_cast<CountedAllocator&>(memory.allocator());
}
}  // namespace

bool AdoptElsewhere(const Array& a, Memory* memory) {
  ArrayRep& rep = *a.rep();
  bool behind_rep = !rep.buffer && !rep.base && !rep.borrowed;
  if (!behind_rep || !IsPlainData(rep.dtype)) return false;
  int64_t bytes = a.bytes();
  if (memory) {
    if (!memory->on_host() || !BooksOf(*memory).Count(bytes)) return false;
  }
  if (rep.memory) BooksOf(*rep.memory).Uncount(bytes);
  rep.memory = memory;
  return true;
}

}  // namespace sluice
