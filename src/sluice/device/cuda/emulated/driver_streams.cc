#include <memory>

#include "sluice/device/cuda/emulated/driver_parts.h"
#include "sluice/device/cuda/emulated/forever.h"

namespace sluice::emulated {

namespace {

struct Event {
  Mutex mu;
  MarkRef mark SL_GUARDED_BY(mu);  // null: has not been recorded
  MarkRef Marked() SL_EXCLUDES(mu) {
    MutexLock lock(mu);
    return mark;
  }
};

Event& Of(CUevent event) { return *reinterpret_cast<Event*>(event); }

CUresult StreamCreate(CUstream* stream, unsigned) {
  *stream = reinterpret_cast<CUstream>(Forever(new Queue));
  return CUDA_SUCCESS;
}
CUresult StreamSynchronize(CUstream stream) {
  if (QueueOf(stream).recording()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  QueueOf(stream).Drain();
  return Failure::Get().Result();
}
CUresult StreamQuery(CUstream stream) {
  if (QueueOf(stream).recording()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (!QueueOf(stream).idle()) return CUDA_ERROR_NOT_READY;
  return Failure::Get().Result();
}
// Waits also run on a broken GPU: what comes later is told in order.
CUresult StreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  if (MarkRef mark = Of(event).Marked()) {
    QueueOf(stream).Add([mark] { mark->Wait(); });
  }
  return Failure::Get().Result();
}
CUresult LaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  QueueOf(stream).Add([=] { function(data); });
  return CUDA_SUCCESS;
}

CUresult EventCreate(CUevent* event, unsigned) {
  *event = reinterpret_cast<CUevent>(Forever(new Event));
  return CUDA_SUCCESS;
}
CUresult EventRecord(CUevent event, CUstream stream) {
  // In a recording it is about the order there, which one stream has anyway.
  MarkRef mark =
      QueueOf(stream).recording() ? nullptr : QueueOf(stream).AddMark();
  MutexLock lock(Of(event).mu);
  Of(event).mark = std::move(mark);
  return CUDA_SUCCESS;
}
CUresult EventDestroy(CUevent event) {
  delete &Of(event);
  return CUDA_SUCCESS;
}
CUresult EventQuery(CUevent event) {
  MarkRef mark = Of(event).Marked();
  if (mark && !mark->reached()) return CUDA_ERROR_NOT_READY;
  return Failure::Get().Result();
}
CUresult EventSynchronize(CUevent event) {
  if (MarkRef mark = Of(event).Marked()) mark->Wait();
  return Failure::Get().Result();
}
CUresult EventElapsedTime(float* ms, CUevent begin, CUevent end) {
  MarkRef first = Of(begin).Marked(), last = Of(end).Marked();
  if (!first || !last) return CUDA_ERROR_INVALID_VALUE;
  *ms = std::chrono::duration<float, std::milli>(last->Wait() - first->Wait())
            .count();
  return CUDA_SUCCESS;
}

}  // namespace

void FillStreams(CudaDriver& driver) {
  driver.cuStreamCreate = StreamCreate;
  driver.cuStreamSynchronize = StreamSynchronize;
  driver.cuStreamQuery = StreamQuery;
  driver.cuStreamWaitEvent = StreamWaitEvent;
  driver.cuLaunchHostFunc = LaunchHostFunc;
  driver.cuEventCreate = EventCreate;
  driver.cuEventRecord = EventRecord;
  driver.cuEventDestroy = EventDestroy;
  driver.cuEventQuery = EventQuery;
  driver.cuEventSynchronize = EventSynchronize;
  driver.cuEventElapsedTime = EventElapsedTime;
}

}  // namespace sluice::emulated
