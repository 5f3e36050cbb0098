#include "sluice/device/cuda/emulated/block.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/device/cuda/emulated/bad_address.h"

namespace sluice::emulated {

namespace {

constexpr size_t kWarp = 32;
// A thread that lets the others run so often waits for what never comes.
constexpr size_t kMostPauses = 1'000'000;
constexpr unsigned long long kNothing = ~0ull;  // kUnwritten, of any size

Block* the_block = nullptr;

std::string TextOf(const Dim3& d) {
  return StrCat("(", d.x, ", ", d.y, ", ", d.z, ")");
}

}  // namespace

Host& Block::TheHost() {
  static Host host{nullptr, {}, {}, {}, &Meet, &Pause, &Fail};
  return host;
}

void Block::Prepare(const Dim3& size) {
  size_t count = size_t{size.x} * size.y * size.z;
  if (threads_.size() != count || prepared_.x != size.x ||
      prepared_.y != size.y) {
    threads_.assign(count, Thread());
    for (size_t i = 0; i < count; ++i) {
      auto at = static_cast<unsigned>(i);
      threads_[i].index = {at % size.x, at / size.x % size.y,
                           at / size.x / size.y};
    }
    prepared_ = size;
  }
  for (Thread& thread : threads_) thread.state = State::kUnstarted;
  next_ = done_ = at_barrier_ = pauses_ = 0;
  ready_.clear();
  paused_.clear();
  failure_.clear();
}

Status Block::Run(KernelFn kernel, const void* args) {
  kernel_ = kernel;
  args_ = args;
  the_block = this;
  Prepare(TheHost().block_size);
  {
    AddressWatch watch;
    if (sigsetjmp(watch.back(), 0) == 0) {
      RunThreads();
    } else {
      failure_ = StrCat("thread ", TextOf(running_->index), " ", watch.text());
    }
  }
  if (failure_.empty()) return OkStatus();
  // Some were left in the middle of the kernel.
  idle_.clear();
  workers_.clear();
  return Internal(StrCat("block ", TextOf(TheHost().block), ": ", failure_));
}

void Block::RunThreads() {
  while (failure_.empty()) {
    if (ready_.empty() && next_ == threads_.size()) ready_.swap(paused_);
    if (!ready_.empty()) {
      Thread& thread = *ready_.front();
      ready_.pop_front();
      running_ = &thread;
      TheHost().thread = &thread.index;
      Enter(*thread.worker);
    } else if (next_ < threads_.size()) {
      if (idle_.empty()) {
        workers_.push_back(std::make_unique<Worker>(*this));
        idle_.push_back(workers_.back().get());
      }
      Worker* worker = idle_.back();
      idle_.pop_back();
      Enter(*worker);
    } else if (done_ == threads_.size()) {
      return;
    } else {
      failure_ = Stuck();
    }
  }
}

void Block::Enter(Worker& worker) { worker.fiber.Enter(); }

SL_ON_FIBER void Block::WorkOn(void* context) {
  auto& worker = *static_cast<Worker*>(context);
  Block& block = worker.block;
  for (;;) {
    while (block.next_ < block.threads_.size()) {
      block.Start(block.threads_[block.next_++], worker);
    }
    block.idle_.push_back(&worker);
    worker.fiber.Leave();
  }
}

SL_ON_FIBER void Block::Start(Thread& thread, Worker& worker) {
  thread.worker = &worker;
  running_ = &thread;
  TheHost().thread = &thread.index;
  kernel_(args_);
  Ended(thread);
}

SL_ON_FIBER void Block::Ended(Thread& thread) {
  thread.state = State::kDone;
  ++done_;
  // Whoever waited for lanes of its warp need not wait for this one.
  size_t begin = WarpBegin(thread);
  size_t end = std::min(begin + kWarp, threads_.size());
  for (size_t i = begin; i < end; ++i) {
    const Thread& other = threads_[i];
    if (other.state == State::kWaiting && other.kind != Meeting::kBlock) {
      WarpMeets(other);
    }
  }
}

size_t Block::WarpBegin(const Thread& thread) const {
  return static_cast<size_t>(&thread - threads_.data()) / kWarp * kWarp;
}

SL_ON_FIBER void Block::Release(Thread& thread, unsigned long long result) {
  thread.result = result;
  thread.state = State::kReady;
  if (&thread != running_) ready_.push_back(&thread);
}

SL_ON_FIBER void Block::Wait(Thread& thread) { thread.worker->fiber.Leave(); }

SL_ON_FIBER unsigned long long Block::Meet(Meeting kind, unsigned mask,
                                           unsigned long long value,
                                           unsigned source) {
  Block& block = *the_block;
  Thread& thread = *block.running_;
  thread.state = State::kWaiting;
  thread.kind = kind;
  thread.mask = mask;
  thread.value = value;
  thread.source = source;
  bool met;
  if (kind == Meeting::kBlock) {
    ++block.at_barrier_;
    met = block.BlockMeets();
  } else {
    auto lane = static_cast<size_t>(&thread - block.threads_.data()) % kWarp;
    if (!(mask >> lane & 1)) Fail("a lane is not in the mask it waits with");
    met = block.WarpMeets(thread);
  }
  if (!met) block.Wait(thread);
  return thread.result;
}

SL_ON_FIBER bool Block::BlockMeets() {
  if (at_barrier_ < threads_.size()) return false;
  unsigned long long count = 0;
  for (const Thread& t : threads_) count += t.value != 0;
  at_barrier_ = 0;
  for (Thread& t : threads_) Release(t, count);
  return true;
}

SL_ON_FIBER bool Block::WarpMeets(const Thread& with) {
  Thread* lanes = threads_.data() + WarpBegin(with);
  size_t count = std::min(kWarp, threads_.size() - WarpBegin(with));
  Meeting kind = with.kind;
  unsigned mask = with.mask, there = 0, ballot = 0;
  for (size_t i = 0; i < count; ++i) {
    const Thread& t = lanes[i];
    if (!(mask >> i & 1) || t.state == State::kDone) continue;
    if (t.state != State::kWaiting || t.kind != kind || t.mask != mask) {
      return false;
    }
    there |= 1u << i;
    if (t.value != 0) ballot |= 1u << i;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!(there >> i & 1)) continue;
    unsigned long long result = 0;
    if (kind == Meeting::kBallot) result = ballot;
    if (kind == Meeting::kShuffle) {
      unsigned source = lanes[i].source % kWarp;
      result = there >> source & 1 ? lanes[source].value : kNothing;
    }
    Release(lanes[i], result);
  }
  return true;
}

SL_ON_FIBER void Block::Pause() {
  Block& block = *the_block;
  if (++block.pauses_ > kMostPauses) {
    Fail("a thread waits in a loop for what no other thread does");
  }
  block.paused_.push_back(block.running_);
  block.Wait(*block.running_);
}

SL_ON_FIBER void Block::Fail(const char* what) {
  Block& block = *the_block;
  Thread& thread = *block.running_;
  block.failure_ = StrCat("thread ", TextOf(thread.index), ": ", what);
  block.Wait(thread);  // never entered again
}

std::string Block::Stuck() const {
  size_t barrier = 0, warp = 0;
  for (const Thread& t : threads_) {
    if (t.state != State::kWaiting) continue;
    ++(t.kind == Meeting::kBlock ? barrier : warp);
  }
  return StrCat("of ", threads_.size(), " threads ", barrier,
                " wait at a barrier of the block, ", warp,
                " for lanes of their warp, and ", done_,
                " have ended; wanted all at one");
}

}  // namespace sluice::emulated
