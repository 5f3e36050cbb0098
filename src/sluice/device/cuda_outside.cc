#include "sluice/device/cuda_outside.h"

#include "sluice/base/strings.h"
#if defined(SLUICE_CUDA)
#include <map>
#include <thread>

#include "sluice/base/thread_annotations.h"
#include "sluice/device/cuda/cuda_device.h"
#include "sluice/device/stream_order.h"
#endif

namespace sluice {

#if defined(SLUICE_CUDA)

namespace {

Result<CudaDevice*> GpuOf(Device& device) {
  if (device.kind() == DeviceKind::kCuda) {
    return static_cast<CudaDevice*>(&device);
  }
  return InvalidArgument(
      StrCat("the device is ", device.name_text(), "; wanted a GPU"));
}

CudaStream& CudaOf(Stream& stream) { return static_cast<CudaStream&>(stream); }

// By device and number: records of memory hold on to streams, so that each is
// there once and stays.
struct OutsideStreams {
  Mutex mu;
  std::map<std::pair<Device*, uintptr_t>, std::unique_ptr<CudaStream>> all
      SL_GUARDED_BY(mu);

  static OutsideStreams& Get() {
    static auto* streams = new OutsideStreams;
    return *streams;
  }
};

class Mark final : public CudaMark {
 public:
  Mark(CudaDevice& device, CUevent event, bool timing)
      : device_(device), event_(event), timing_(timing) {}
  ~Mark() override {
    device_.Enter();
    CudaDriver::Get().cuEventDestroy(event_);
  }

  Status Record(Stream& stream) override {
    device_.Enter();
    SL_CUDA(cuEventRecord(event_, CudaOf(stream).handle()), "marking a stream");
    set_ = true;
    return OkStatus();
  }
  Status MakeWait(Stream& stream) override {
    device_.Enter();
    SL_CUDA(cuStreamWaitEvent(CudaOf(stream).handle(), event_,
                              CU_EVENT_WAIT_DEFAULT),
            "waiting for an event");
    return OkStatus();
  }
  bool Reached() override {
    device_.Enter();
    return CudaDriver::Get().cuEventQuery(event_) != CUDA_ERROR_NOT_READY;
  }
  Status Synchronize() override {
    device_.Enter();
    SL_CUDA(cuEventSynchronize(event_), "waiting for an event");
    device_.TellErrors();
    return OkStatus();
  }
  Result<double> ElapsedMs(CudaMark& other) override {
    auto& end = static_cast<Mark&>(other);
    if (!timing_ || !end.timing_) {
      return FailedPrecondition(
          "elapsed_time() of an event without times; wanted both made with "
          "enable_timing");
    }
    if (!set_ || !end.set_) {
      return FailedPrecondition(
          "elapsed_time() of an event that was not recorded; wanted both "
          "recorded");
    }
    if (!Reached() || !end.Reached()) {
      return FailedPrecondition(
          "elapsed_time() of an event the GPU has not come to; wanted "
          "synchronize() before it");
    }
    float ms = 0;
    SL_CUDA(cuEventElapsedTime(&ms, event_, end.event_), "asking for the time");
    return double{ms};
  }

 private:
  CudaDevice& device_;
  const CUevent event_;
  const bool timing_;
  bool set_ = false;
};

// What a buffer over memory of others keeps.
struct HeldBytes {
  BlockUse use;
  std::function<void()> release;
};

// The owner does not know of our streams: it gets the memory back when they
// are done with it.
void LetGo(void* context) {
  std::unique_ptr<HeldBytes> held(static_cast<HeldBytes*>(context));
  for (UseUntil& use : held->use.End(/*mark=*/true)) {
    while (!use.Mark()->Reached()) std::this_thread::yield();
  }
  if (held->release) held->release();
}

}  // namespace

namespace {

// Units of a processor that multiply and add f32 in each cycle.
double F32UnitsOf(int architecture) {
  bool half = architecture == 60 || (architecture >= 70 && architecture <= 80);
  return half ? 64 : 128;
}

}  // namespace

Result<CudaFigures> FiguresOf(Device& device) {
  SL_ASSIGN_OR_RETURN(CudaDevice * gpu, GpuOf(device));
  gpu->Enter();
  size_t free = 0, total = 0;
  SL_CUDA(cuMemGetInfo(&free, &total), "asking for the GPU's free memory");
  CudaFigures figures = {gpu->model(), gpu->architecture(),
                         gpu->num_processors(), static_cast<int64_t>(free),
                         static_cast<int64_t>(total)};
  CUdevice number = 0;
  SL_CUDA(cuDeviceGet(&number, *device.name().index), "finding the GPU");
  // Newer drivers need not know their clocks.
  auto told = [&](CUdevice_attribute what) {
    int value = 0;
    CUresult result =
        CudaDriver::Get().cuDeviceGetAttribute(&value, what, number);
    return result == CUDA_SUCCESS ? static_cast<double>(value) : 0.0;
  };
  double khz = told(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  figures.flops_per_second =
      2 * F32UnitsOf(figures.architecture) * figures.processors * khz * 1e3;
  // Both edges of the clock carry.
  figures.bytes_per_second =
      2 * told(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * 1e3 *
      told(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
  return figures;
}

Result<Stream*> NewCudaStream(Device& device) {
  SL_ASSIGN_OR_RETURN(CudaDevice * gpu, GpuOf(device));
  gpu->Enter();
  auto made = std::make_unique<CudaStream>(*gpu, "user");
  SL_RETURN_IF_ERROR(made->Begin());
  OutsideStreams& streams = OutsideStreams::Get();
  MutexLock lock(streams.mu);
  auto handle = reinterpret_cast<uintptr_t>(made->handle());
  auto& kept = streams.all[{&device, handle}];
  kept = std::move(made);
  return kept.get();
}

Result<Stream*> OutsideCudaStream(Device& device, uintptr_t handle) {
  SL_ASSIGN_OR_RETURN(CudaDevice * gpu, GpuOf(device));
  if (handle == 0) handle = 1;  // the default stream, by its other name
  for (int use = 0; use < kNumStreamUses; ++use) {
    CudaStream& own = gpu->stream(static_cast<StreamUse>(use));
    if (reinterpret_cast<uintptr_t>(own.handle()) == handle) return &own;
  }
  OutsideStreams& streams = OutsideStreams::Get();
  MutexLock lock(streams.mu);
  auto& kept = streams.all[{&device, handle}];
  if (!kept) {
    kept = std::make_unique<CudaStream>(*gpu, "another library's");
    kept->BeginOver(reinterpret_cast<CUstream>(handle));
  }
  return kept.get();
}

uintptr_t CudaHandleOf(Stream& stream) {
  if (stream.device().kind() != DeviceKind::kCuda) return 0;
  return reinterpret_cast<uintptr_t>(CudaOf(stream).handle());
}

bool CudaStreamIdle(Stream& stream) {
  static_cast<CudaDevice&>(stream.device()).Enter();
  return CudaDriver::Get().cuStreamQuery(CudaOf(stream).handle()) !=
         CUDA_ERROR_NOT_READY;
}

Result<std::unique_ptr<CudaMark>> CudaMark::Make(Device& device, bool timing) {
  SL_ASSIGN_OR_RETURN(CudaDevice * gpu, GpuOf(device));
  gpu->Enter();
  CUevent event = nullptr;
  SL_CUDA(cuEventCreate(&event,
                        timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING),
          "making an event");
  return std::unique_ptr<CudaMark>(new Mark(*gpu, event, timing));
}

Result<Array> CudaArrayOver(Device& device, const OutsideBytes& bytes,
                            Stream* maker, std::function<void()> release) {
  SL_ASSIGN_OR_RETURN(CudaDevice * gpu, GpuOf(device));
  CudaStream& compute = gpu->stream();
  if (maker && maker != &compute) compute.WaitFor(maker->Record());
  auto* held = new HeldBytes{{}, std::move(release)};
  held->use.Begin(compute, /*fresh=*/false);
  int64_t size = bytes.shape.num_elements() * DTypeSize(bytes.dtype);
  Ref<Buffer> buffer =
      Buffer::Wrap(bytes.address, size, &LetGo, held, &held->use);
  Array whole = Array::Over(std::move(buffer), bytes.dtype, bytes.shape);
  whole.rep()->memory = gpu->array_memory();
  whole.rep()->remote = true;
  Array seen = Array::View(whole, 0, bytes.shape, bytes.strides);
  // Somebody else looks at them, however few arrays of ours do.
  seen.rep()->borrowed = true;
  return seen;
}

#else

namespace {
Status NoCuda() {
  return Status(Code::kUnavailable,
                "this Sluice was built without CUDA: there are no GPUs "
                "(docs/install.md says how to build it with them)");
}
}  // namespace

Result<CudaFigures> FiguresOf(Device&) { return NoCuda(); }
Result<Stream*> NewCudaStream(Device&) { return NoCuda(); }
Result<Stream*> OutsideCudaStream(Device&, uintptr_t) { return NoCuda(); }
uintptr_t CudaHandleOf(Stream&) { return 0; }
bool CudaStreamIdle(Stream&) { return true; }
Result<std::unique_ptr<CudaMark>> CudaMark::Make(Device&, bool) {
  return NoCuda();
}
Result<Array> CudaArrayOver(Device&, const OutsideBytes&, Stream*,
                            std::function<void()>) {
  return NoCuda();
}

#endif

}  // namespace sluice
