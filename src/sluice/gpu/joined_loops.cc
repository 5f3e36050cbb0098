// GpuCodeBuilder: loops with the same source that run concurrently in one
// launch.
#include <algorithm>
#include <utility>

#include "sluice/base/strings.h"
#include "sluice/gpu/code_builder.h"

namespace sluice {

namespace {

// The bytes from the first element to the last, for strides of either sign.
std::pair<int64_t, int64_t> BytesOf(const GpuRegister& r) {
  int64_t begin = 0, end = r.shape.num_elements() == 0 ? 0 : 1;
  for (int axis = 0; axis < r.shape.rank(); ++axis) {
    int64_t far = (std::max<int64_t>(r.shape.dim(axis), 1) - 1) *
                  r.strides[static_cast<size_t>(axis)];
    (far < 0 ? begin : end) += far;
  }
  int64_t size = DTypeSize(r.dtype);
  return {r.offset + begin * size, r.offset + end * size};
}

// For the arguments in fused_source.cc.
size_t ArgumentBytes(const GpuInstruction& loop) {
  auto strided =
      std::count(loop.access.begin(), loop.access.end(), FusedAccess::kStrided);
  size_t words = 2 + (loop.live >= 0) + loop.out.size() +
                 std::max<size_t>(1, loop.in.size());
  if (strided > 0) words += 8 * static_cast<size_t>(strided + 1);
  return words * 8;
}

}  // namespace

bool GpuCodeBuilder::NextInSet() const {
  return now_ + 1 < set_.size() && set_[now_] != 0 &&
         set_[now_] == set_[now_ + 1];
}

// Whether two registers may overlap.
bool GpuCodeBuilder::Overlap(int a, int b) const {
  const Register &x = At(a), &y = At(b);
  if (x.place == y.place) {
    if (x.index != y.index) return false;
    if (x.place != GpuPlace::kArena) return true;
    auto [x_begin, x_end] = BytesOf(x);
    auto [y_begin, y_end] = BytesOf(y);
    return x_begin < y_end && y_begin < x_end;
  }
  auto over = [&](const Register& output, const Register& input) {
    auto it = over_input_.find(output.index);
    return output.place == GpuPlace::kOutput &&
           input.place == GpuPlace::kInput && it != over_input_.end() &&
           it->second == input.index;
  };
  return over(x, y) || over(y, x);
}

// Neither writes memory that the other reads or writes.
bool GpuCodeBuilder::Apart(const GpuInstruction& a,
                           const GpuInstruction& b) const {
  auto meets = [&](const std::vector<int>& written, int r) {
    return std::any_of(written.begin(), written.end(),
                       [&](int w) { return Overlap(w, r); });
  };
  auto writes = [&](const GpuInstruction& by, const GpuInstruction& of) {
    return std::any_of(of.in.begin(), of.in.end(),
                       [&](int r) { return meets(by.out, r); }) ||
           std::any_of(of.out.begin(), of.out.end(),
                       [&](int r) { return meets(by.out, r); });
  };
  return !writes(a, b) && !writes(b, a);
}

// Adds the loop to the launch emitted last, if both have the same source and
// are independent. False: it needs a launch of its own.
bool GpuCodeBuilder::JoinLoop(const GpuInstruction& loop) {
  bool next = now_ > 0 && set_[now_] != 0 && set_[now_] == set_[now_ - 1];
  if (!next || code_.empty() || !MayStandBeside(loop.source)) return false;
  GpuInstruction& last = code_.back();
  if (last.code != GpuInstruction::Code::kFused ||
      last.one_source != loop.source || (last.live < 0) != (loop.live < 0)) {
    return false;
  }
  auto count = static_cast<int>(last.beside.size()) + 2;
  if (count > FusedMost(ArgumentBytes(loop)) || !Apart(last, loop) ||
      !std::all_of(last.beside.begin(), last.beside.end(),
                   [&](const GpuInstruction& b) { return Apart(b, loop); })) {
    return false;
  }
  last.beside.push_back(loop);
  last.source = FusedBeside(loop.source, count);
  StrAppend(last.label, count == 2 ? " and " : ", ", loop.space);
  return true;
}

}  // namespace sluice
