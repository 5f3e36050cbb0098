// What a kernel compiled for the emulated GPU and the host that runs it know of
// each other. Part of the kernel's source, too: uses nothing but the language.
//
// A module is a shared object. It has the symbol sl_host, which is filled in
// when it is loaded; for each kernel a function sl_kernel_NAME that takes the
// address of the arguments, run once for each thread; and sl_args_bytes_NAME,
// how many bytes these are.
#pragma once

namespace sluice::emulated {

struct Dim3 {
  unsigned x, y, z;
};

// Where threads wait for each other.
enum class Meeting : int {
  kBlock,    // every thread of the block; gives how many values were not 0
  kWarp,     // the lanes of a mask; gives 0
  kShuffle,  // the lanes of a mask; gives the value of lane `source`
  kBallot,   // the lanes of a mask; gives the lanes whose value was not 0
};

struct Host {
  // Of the thread that is running: another one after each call below.
  const Dim3* thread;
  Dim3 block, block_size, grid_size;
  unsigned long long (*meet)(Meeting kind, unsigned mask,
                             unsigned long long value, unsigned source);
  void (*pause)();                 // lets the others run
  void (*fail)(const char* what);  // ends the kernel
};

// What memory that nobody has written holds: NaN as a floating-point number of
// any size, -1 as an integer.
inline constexpr unsigned char kUnwritten = 0xff;

}  // namespace sluice::emulated
