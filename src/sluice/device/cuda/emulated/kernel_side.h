// The interface between a kernel compiled for the emulated GPU and the host
// that runs it. It is also part of the kernel's source: it uses only the
// language itself. Plain data; the thread that runs the block uses it.
//
// A module is a shared object with the symbol sl_host, which is filled in when
// it is loaded. For each kernel it has a function sl_kernel_NAME, called once
// per thread with the address of the arguments, and sl_args_bytes_NAME, their
// size in bytes.
#pragma once

namespace sluice::emulated {

struct Dim3 {
  unsigned x, y, z;
};

// The kinds of synchronization.
enum class Meeting : int {
  kBlock,    // all threads of the block; returns the count of values != 0
  kWarp,     // the lanes of a mask; returns 0
  kShuffle,  // the lanes of a mask; returns the value of lane `source`
  kBallot,   // the lanes of a mask; returns the lanes with values != 0
};

struct Host {
  // The running thread; changes with each call below.
  const Dim3* thread;
  Dim3 block, block_size, grid_size;
  unsigned long long (*meet)(Meeting kind, unsigned mask,
                             unsigned long long value, unsigned source);
  void (*pause)();                 // lets the other threads run
  void (*fail)(const char* what);  // ends the kernel
};

// The content of unwritten memory: NaN as a floating-point number of any size,
// -1 as an integer.
inline constexpr unsigned char kUnwritten = 0xff;

}  // namespace sluice::emulated
