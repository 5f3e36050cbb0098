// The structures with which libraries exchange arrays (DLPack 1.1); the
// standard defines the layout.
#pragma once

#include <cstdint>

namespace sluice::py::dlpack {

struct Device {
  int32_t type = 1;  // kCpu
  int32_t id = 0;
};
inline constexpr int32_t kCpu = 1, kCuda = 2, kCudaHost = 3;

struct Type {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes = 1;
};
enum Code : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
};

struct View {
  void* data;
  Device device;
  int32_t ndim;
  Type dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row-major
  uint64_t byte_offset = 0;
};

// Capsules named "dltensor".
struct Managed {
  View view;
  void* context;
  void (*release)(Managed* self);
};

struct Version {
  uint32_t major, minor;
};
inline constexpr uint64_t kReadOnly = 1, kCopied = 2;

// Capsules named "dltensor_versioned".
struct ManagedVersioned {
  Version version;
  void* context;
  void (*release)(ManagedVersioned* self);
  uint64_t flags;
  View view;
};

}  // namespace sluice::py::dlpack
