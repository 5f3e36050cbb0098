#include "shared_segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "tensor.h"
#include "tensor_values.h"

namespace sluice::py {

namespace {

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void ThrowOsError(const std::string& name) {
  PyErr_SetFromErrnoWithFilename(PyExc_OSError, name.c_str());
  throw nb::python_error();
}

// Segments that can be shared by name, by their mapped address.
struct Mapped {
  std::string name;
  int64_t bytes;
};
struct Segments {
  Mutex mu;
  std::map<uintptr_t, Mapped> by_start SL_GUARDED_BY(mu);
};
Segments& All() {
  static auto* all = new Segments;
  return *all;
}

void Unmap(void* start, int64_t bytes, const std::string& name, SegmentUse use,
           pid_t owner) {
  {
    Segments& all = All();
    MutexLock lock(all.mu);
    all.by_start.erase(reinterpret_cast<uintptr_t>(start));
  }
  munmap(start, static_cast<size_t>(bytes));
  // A forked child has the mapping, too, but does not own the name.
  if (use == SegmentUse::kOwn && getpid() == owner) shm_unlink(name.c_str());
}

}  // namespace

bool PutInSegment(const std::string& name, const Array& array) {
  Array flat = ValueOrThrow(array.AsContiguous());
  int64_t bytes = std::max<int64_t>(flat.bytes(), 1);
  File file(shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600));
  if (file.fd() < 0) {
    if (errno == ENOSYS || errno == ENOENT || errno == EACCES ||
        errno == EMFILE || errno == ENFILE) {
      return false;
    }
    ThrowOsError(name);
  }
  // Reserves the pages now: touching an unavailable page later would kill the
  // process.
  int failed = posix_fallocate(file.fd(), 0, bytes);
  void* start = failed ? MAP_FAILED
                       : mmap(nullptr, static_cast<size_t>(bytes), PROT_WRITE,
                              MAP_SHARED, file.fd(), 0);
  if (start == MAP_FAILED) {
    shm_unlink(name.c_str());
    return false;
  }
  if (flat.bytes() > 0) {
    std::memcpy(start, flat.raw(), static_cast<size_t>(flat.bytes()));
  }
  munmap(start, static_cast<size_t>(bytes));
  return true;
}

OutsideArray MapSegment(const std::string& name, DType dtype,
                        const Shape& shape, int64_t offset, SegmentUse use) {
  File file(shm_open(name.c_str(), O_RDWR, 0600));
  if (file.fd() < 0) ThrowOsError(name);
  if (use == SegmentUse::kTake) shm_unlink(name.c_str());
  struct stat info{};
  if (fstat(file.fd(), &info) != 0) ThrowOsError(name);
  int64_t bytes = info.st_size;
  int64_t wanted = shape.num_elements() * DTypeSize(dtype);
  if (offset < 0 || offset > bytes || wanted > bytes - offset) {
    ThrowValueError(StrCat("shared memory ", name, " has ", bytes,
                           " bytes; wanted ", wanted, " from ", offset, " on"));
  }
  void* start = mmap(nullptr, static_cast<size_t>(bytes),
                     PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(), 0);
  if (start == MAP_FAILED) ThrowOsError(name);
  if (use != SegmentUse::kTake) {
    Segments& all = All();
    MutexLock lock(all.mu);
    all.by_start[reinterpret_cast<uintptr_t>(start)] = {name, bytes};
  }
  return LookAt(
      static_cast<char*>(start) + offset, dtype, shape,
      ContiguousStrides(shape), /*readonly=*/false,
      [=, owner = getpid()] { Unmap(start, bytes, name, use, owner); });
}

void BindSharedSegment(nb::module_& m) {
  m.def("put_in_segment", [](const std::string& name, const Tensor& t) {
    if (!IsPlainData(t.dtype())) return false;
    return PutInSegment(name, t.array());
  });
  m.def("map_segment",
        [](const std::string& name, DType dtype,
           const std::vector<int64_t>& sizes, int64_t offset, bool take) {
          Shape shape = ValueOrThrow(Shape::Make(sizes));
          if (!take) {
            return TensorOver(
                MapSegment(name, dtype, shape, offset, SegmentUse::kLook));
          }
          // Only this process can see the received elements.
          return TensorOf(
              MapSegment(name, dtype, shape, offset, SegmentUse::kTake).array);
        });
  // Moves the elements of a tensor to a new segment.
  m.def("move_to_segment", [](const std::string& name, const Tensor& t) {
    EagerValue& value = *t.eager();
    SharedElementsOf(t, "share_memory_()");  // throws unless on the host
    if (!IsPlainData(t.dtype()) || !PutInSegment(name, value.array)) {
      return false;
    }
    value.array =
        MapSegment(name, t.dtype(), value.array.shape(), 0, SegmentUse::kOwn)
            .array;
    return true;
  });
  // (name, offset) that other processes can map; None for other memory.
  m.def("segment_of", [](const Tensor& t) -> nb::object {
    const Array& a = t.array();
    if (!a.on_host()) return nb::none();
    auto at = reinterpret_cast<uintptr_t>(a.raw());
    Segments& all = All();
    MutexLock lock(all.mu);
    auto after = all.by_start.upper_bound(at);
    if (after == all.by_start.begin()) return nb::none();
    const auto& [start, mapped] = *std::prev(after);
    auto offset = static_cast<int64_t>(at - start);
    if (offset + a.bytes() > mapped.bytes || !a.contiguous()) {
      return nb::none();
    }
    return nb::make_tuple(mapped.name, offset);
  });
}

}  // namespace sluice::py
