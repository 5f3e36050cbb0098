// Whether the code of a vmap is being recorded on this thread: tensors of one
// lane are gone once it is batched.
#pragma once

namespace sluice::front_internal {

bool InsideVmap();

// Says so, or that it is over for a while, as long as it lives.
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
