#include "sluice/trace/inside_vmap.h"

#include <utility>

namespace sluice::front_internal {

namespace {
thread_local bool inside_vmap = false;
}  // namespace

bool InsideVmap() { return inside_vmap; }

VmapScope::VmapScope(bool inside)
    : outer_(std::exchange(inside_vmap, inside)) {}
VmapScope::~VmapScope() { inside_vmap = outer_; }

}  // namespace sluice::front_internal
