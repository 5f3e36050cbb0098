#include "sluice/launch/copy_between.h"

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/device/copy_caller.h"
#include "sluice/device/devices.h"
#include "sluice/device/stream_order.h"
#include "sluice/launch/cuda_work.h"
#include "sluice/launch/device_work.h"
#include "sluice/tensor/list.h"
#include "sluice/tensor/remote_copy.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

// Keeps host memory alive until the stream no longer uses it.
void KeepUntilDone(Stream& stream, const Array& array) {
  stream.Then([](void* kept) { delete static_cast<Array*>(kept); },
              new Array(array));
}

Place PlaceOf(const Array& array) { return {array.memory(), array.address()}; }

Result<StartedCopy> ToHost(const Array& from, Device& to) {
  Stream& stream = Devices::Of(from).stream(StreamUse::kToHost);
  StartedCopy copy;
  SL_ASSIGN_OR_RETURN(copy.value, Array::Make(from.dtype(), from.shape(),
                                              to.memory().allocator()));
  if (from.num_elements() == 0) return copy;
  BeforeRead(stream, from);
  stream.Copy(PlaceOf(copy.value), PlaceOf(from), from.bytes());
  AfterRead(stream, from);
  KeepUntilDone(stream, copy.value);
  copy.pending = &stream;
  return copy;
}

// From the host, or from another device.
Result<StartedCopy> ToDevice(const Array& from, Device& to) {
  StreamUse use = from.on_host() ? StreamUse::kFromHost : StreamUse::kPeer;
  Stream& stream = to.stream(use);
  StartedCopy copy;
  SL_ASSIGN_OR_RETURN(copy.value, Array::Make(from.dtype(), from.shape(),
                                              to.allocator_for(use)));
  if (from.num_elements() == 0) return copy;
  BeforeRead(stream, from);
  BeforeWrite(stream, copy.value);
  stream.Copy(PlaceOf(copy.value), PlaceOf(from), from.bytes());
  AfterRead(stream, from);
  AfterWrite(stream, copy.value, /*mark=*/true);
  if (from.on_host()) KeepUntilDone(stream, from);
  return copy;
}

Result<StartedCopy> CopyList(const ListValue& from, Device& to) {
  StartedCopy copy;
  auto list = MakeRef<ListValue>(from.dtype(), from.shape(), from.max_size());
  // The elements may arrive after the list.
  list->HoldArrays();
  SL_RETURN_IF_ERROR(list->Resize(from.size()));
  for (int64_t i = 0; i < from.size(); ++i) {
    if (!from.there(i)) continue;
    SL_ASSIGN_OR_RETURN(StartedCopy element, StartCopy(from.at(i), to));
    if (element.pending) copy.pending = element.pending;
    list->Set(i, std::move(element.value));
  }
  copy.value = Array::Handle(Ref<ResourceBase>(list), DType::kList);
  return copy;
}

}  // namespace

Result<StartedCopy> StartCopy(const Array& from, Device& to) {
  StartedCopy copy{from};
  if (from.dtype() == DType::kList && from.rank() == 0 && from.handle()) {
    return CopyList(static_cast<const ListValue&>(*from.handle()), to);
  }
  if (from.memory() == to.array_memory() || IsReference(from.dtype())) {
    return copy;
  }
  if (!IsPlainData(from.dtype())) {
    // Strings are host objects, wherever their memory is accounted.
    if (to.memory().on_host()) return copy;
    return InvalidArgument(StrCat("got ", from.TypeText(), " for ",
                                  to.name_text(),
                                  "; wanted elements that a device can hold"));
  }
  if (from.on_host() && to.memory().on_host()) {
    SL_ASSIGN_OR_RETURN(copy.value, Array::Make(from.dtype(), from.shape(),
                                                to.memory().allocator()));
    copy.value.CopyFrom(from);
    return copy;
  }
  SL_ASSIGN_OR_RETURN(Array rows, ContiguousOn(from));
  return to.memory().on_host() ? ToHost(rows, to) : ToDevice(rows, to);
}

namespace {

// Stores the error of copies that somebody waits for.
class Awaited final : public CopyCaller {
 public:
  // REQUIRES: the streams of the copies were synchronised.
  const Status& status() const { return *status_; }

 protected:
  CopyFailed Failed() const override {
    return [status = status_, outer = Outer()](const Status& error) {
      *status = outer ? outer(error) : error;
      return *status;
    };
  }

 private:
  // Nobody waits for a copy to a device, which may fail later.
  const std::shared_ptr<Status> status_ = std::make_shared<Status>();
};

// Whether the bytes are read after the copy was issued. CUDA's driver reads
// pageable memory immediately.
bool ReadsLater(const Array& from, Device& to) {
  return from && from.on_host() && IsPlainData(from.dtype()) &&
         !to.memory().on_host() && to.kind() != DeviceKind::kCuda;
}

}  // namespace

Result<Array> CopyTo(const Array& from, Device& to) {
  Awaited awaited;
  Array seen = from;
  if (ReadsLater(from, to)) {
    SL_ASSIGN_OR_RETURN(seen, from.Clone());
  }
  SL_ASSIGN_OR_RETURN(StartedCopy copy, StartCopy(seen, to));
  if (copy.pending) {
    SL_RETURN_IF_ERROR(copy.pending->Synchronize());
    SL_RETURN_IF_ERROR(awaited.status());
  }
  return std::move(copy.value);
}

Status CopyElements(const Array& from, const Array& to) {
  if (!RemoteCopy::Needed(from, to)) {
    CopyRegion(to.dtype(), to.shape(), from.raw(), from.strides(),
               to.mutable_raw(), to.strides(), &WorkerPool::Default());
    return OkStatus();
  }
  if (from.memory() == to.memory()) {
    Device& device = Devices::Of(to);
    if (device.kind() == DeviceKind::kCuda) {
      return CopyOnGpu(device, from, to);
    }
    DeviceWork work;
    work.label = "copy";
    work.Reads(from);
    work.Writes(to);
    work.run = [source = from.Borrowed(), target = to.Borrowed()] {
      CopyRegion(target.dtype(), target.shape(), source.raw(), source.strides(),
                 target.mutable_raw(), target.strides());
    };
    return RunOnDevice(device, std::move(work));
  }
  Device& there = Devices::Of(to);
  SL_ASSIGN_OR_RETURN(Array here, CopyTo(from, there));
  return CopyElements(here, to);
}

Result<Array> ContiguousOn(const Array& array) {
  return MakeContiguous(array, nullptr);
}

namespace {
[[maybe_unused]] const bool kSet =
    RemoteCopy::Set(CopyElements, [](const Array& from, Memory* to) {
      return CopyTo(from, Devices::Of(to));
    });
}  // namespace

}  // namespace sluice
