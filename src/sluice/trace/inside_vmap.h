// Whether the code of a vmap is being recorded on this thread. Tensors of one
// lane no longer exist once the code is batched.
#pragma once

namespace sluice::front_internal {

bool InsideVmap();

// Sets this to `inside` for its lifetime.
class [[nodiscard]] VmapScope {
 public:
  explicit VmapScope(bool inside);
  ~VmapScope();
  VmapScope(const VmapScope&) = delete;
  VmapScope& operator=(const VmapScope&) = delete;

 private:
  const bool outer_;
};

}  // namespace sluice::front_internal
