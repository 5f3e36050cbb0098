#include "sluice/gpu/recordings.h"

#include "sluice/base/strings.h"
#include "sluice/device/cuda/launch_scope.h"

namespace sluice {

namespace {
// Addresses an operand may alternate between before it is copied instead.
constexpr size_t kMostPlaces = 4;
// Runs after which the addresses of operands count as stable.
constexpr int kSettled = 8;
constexpr size_t kMostRecordings = 32;
}  // namespace

Recordings::Recording::~Recording() {
  if (exec) CudaDriver::Get().cuGraphExecDestroy(exec);
  for (uint64_t slot : checks) device.checks().Release(slot, device.stream());
}

Recordings::Key Recordings::KeyOf(const std::vector<void*>& operands) const {
  Key key = operands;
  for (const auto& [i, slot] : slots_) key[i] = slot.address();
  return key;
}

Status Recordings::Follow(CudaDevice& device,
                          const std::vector<void*>& operands,
                          const std::vector<int64_t>& bytes) {
  // Changes before the addresses became stable are forgotten.
  if (hits_ >= kSettled) places_.clear();
  hits_ = 0;
  places_.resize(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (slots_.count(i)) continue;
    places_[i].insert(operands[i]);
  }
  return Settle(device, bytes, kMostPlaces);
}

Status Recordings::Settle(CudaDevice& device, const std::vector<int64_t>& bytes,
                          size_t most) {
  for (size_t i = 0; i < places_.size(); ++i) {
    if (slots_.count(i) || places_[i].size() <= most) continue;
    SL_ASSIGN_OR_RETURN(
        slots_[i], Array::Make(DType::kU8, {std::max<int64_t>(1, bytes[i])},
                               device.memory().allocator()));
    // Keys change from now on. A recording may still be running.
    SL_RETURN_IF_ERROR(device.stream().Synchronize());
    made_.clear();
    seen_.clear();
  }
  return OkStatus();
}

void Recordings::Clear() {
  made_.clear();
  seen_.clear();
  places_.clear();
  slots_.clear();
}

Result<bool> Recordings::Launch(CudaDevice& device,
                                const std::vector<void*>& operands,
                                const std::vector<int64_t>& bytes,
                                size_t num_inputs, int64_t arena_bytes,
                                const UploadFn& upload, const IssueFn& issue,
                                bool warm) {
  if (!why_not_.empty()) return false;
  *late_ = CudaLaunchScope::Late();
  auto it = made_.find(KeyOf(operands));
  ++hits_;
  if (it == made_.end()) {
    SL_RETURN_IF_ERROR(Follow(device, operands, bytes));
    Key key = KeyOf(operands);
    // The first run compiles kernels and chooses algorithms, which cannot be
    // recorded.
    if (seen_[key]++ == 0 && !warm) return false;
    if (made_.size() >= kMostRecordings) {
      // The combinations of addresses keep changing: copy all operands that
      // move.
      SL_RETURN_IF_ERROR(device.stream().Synchronize());
      made_.clear();
      SL_RETURN_IF_ERROR(Settle(device, bytes, 1));
      key = KeyOf(operands);
      ++seen_[key];
    }
    Status recorded = Record(device, key, arena_bytes, issue);
    if (!recorded.ok()) {
      // Other operand addresses may need other kernels: issue one by one once.
      if (seen_[key] == 1) return false;
      why_not_ = recorded.message();
      return false;
    }
    it = made_.find(key);
  }
  const CudaDriver& driver = CudaDriver::Get();
  CUstream stream = device.stream().handle();
  device.Enter();
  auto copy = [&](void* to, const void* from, int64_t count) {
    return CudaStatus(
        driver.cuMemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(to),
                                 reinterpret_cast<CUdeviceptr>(from),
                                 static_cast<size_t>(count), stream),
        "copying an operand");
  };
  for (const auto& [i, slot] : slots_) {
    if (i < num_inputs && bytes[i] > 0) {
      SL_RETURN_IF_ERROR(copy(slot.address(), operands[i], bytes[i]));
    }
  }
  const Array& arena = it->second->arena;
  SL_RETURN_IF_ERROR(upload(arena ? arena.address() : nullptr));
  SL_CUDA(cuGraphLaunch(it->second->exec, stream), "launching a recording");
  for (const auto& [i, slot] : slots_) {
    if (i >= num_inputs && bytes[i] > 0) {
      SL_RETURN_IF_ERROR(copy(operands[i], slot.address(), bytes[i]));
    }
  }
  return true;
}

Status Recordings::Record(CudaDevice& device, const Key& key,
                          int64_t arena_bytes, const IssueFn& issue) {
  auto recording = std::make_unique<Recording>(device);
  if (arena_bytes > 0) {
    SL_ASSIGN_OR_RETURN(
        recording->arena,
        Array::Make(DType::kU8, {arena_bytes}, device.memory().allocator()));
  }
  CudaStream& stream = device.recording_stream();
  device.Enter();
  // Relaxed: scratch memory is allocated during the capture, which queries
  // events and maps memory. None of that becomes part of the recording.
  SL_CUDA(cuStreamBeginCapture(stream.handle(), CU_STREAM_CAPTURE_MODE_RELAXED),
          "recording launches");
  Status issued;
  {
    CudaRecordingScope scope(&recording->kept, &recording->checks, late_);
    issued = issue(stream, key,
                   recording->arena ? recording->arena.address() : nullptr);
  }
  CUgraph graph = nullptr;
  CUresult ended =
      CudaDriver::Get().cuStreamEndCapture(stream.handle(), &graph);
  Status status = issued;
  if (status.ok()) status = CudaStatus(ended, "recording launches");
  if (status.ok()) {
    status = CudaStatus(
        CudaDriver::Get().cuGraphInstantiate(&recording->exec, graph, 0),
        "making a recording ready");
  }
  if (graph) CudaDriver::Get().cuGraphDestroy(graph);
  SL_RETURN_IF_ERROR(status);
  made_[key] = std::move(recording);
  return OkStatus();
}

}  // namespace sluice
