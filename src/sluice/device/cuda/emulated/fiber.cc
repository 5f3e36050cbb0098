#include "sluice/device/cuda/emulated/fiber.h"

#include <sys/mman.h>

#include <cstdint>

#include "sluice/base/status.h"

// Stores what a call keeps on the stack, the stack's top at *save, and goes on
// with the stack whose top is `next`, which was left in the same way.
extern "C" void sluice_switch_stack(void** save, void* next);
// Where a new stack begins: calls the function it was prepared with.
extern "C" void sluice_begin_stack();

#if defined(__x86_64__)
asm(R"(
.text
.p2align 4
.type sluice_switch_stack, @function
.hidden sluice_switch_stack
.globl sluice_switch_stack
sluice_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size sluice_switch_stack, . - sluice_switch_stack
.p2align 4
.type sluice_begin_stack, @function
.hidden sluice_begin_stack
.globl sluice_begin_stack
sluice_begin_stack:
  movq %r12, %rdi
  callq *%rbx
  ud2
.size sluice_begin_stack, . - sluice_begin_stack
)");
#elif defined(__aarch64__)
asm(R"(
.text
.p2align 4
.type sluice_switch_stack, %function
.hidden sluice_switch_stack
.globl sluice_switch_stack
sluice_switch_stack:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size sluice_switch_stack, . - sluice_switch_stack
.p2align 4
.type sluice_begin_stack, %function
.hidden sluice_begin_stack
.globl sluice_begin_stack
sluice_begin_stack:
  mov x0, x20
  blr x19
  brk #1
.size sluice_begin_stack, . - sluice_begin_stack
)");
#else
#error "the emulated GPU knows how to switch stacks on x86_64 and aarch64"
#endif

namespace sluice::emulated {

namespace {

// Kernels keep little on the stack: they are written for registers.
constexpr size_t kStack = size_t{256} << 10;
constexpr size_t kGuard = size_t{64} << 10;  // a page, of any size there is

// The stack as sluice_switch_stack would have left it at the function's start.
void* Prepare(char* top, void (*run)(Fiber*), Fiber* fiber) {
  auto* words = reinterpret_cast<uint64_t*>(top);
  auto word = [](auto* p) { return reinterpret_cast<uint64_t>(p); };
#if defined(__x86_64__)
  // r15 r14 r13 r12 rbx rbp, the address to return to, two to stay aligned.
  words -= 9;
  words[3] = word(fiber);
  words[4] = word(run);
  words[6] = word(&sluice_begin_stack);
#else
  words -= 20;
  words[0] = word(run);
  words[1] = word(fiber);
  words[11] = word(&sluice_begin_stack);
#endif
  return words;
}

}  // namespace

Fiber::Fiber(Function run, void* context) : run_(run), context_(context) {
  memory_ = mmap(nullptr, kGuard + kStack, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  SL_CHECK(memory_ != MAP_FAILED);
  // What runs off the stack's end stops there.
  mprotect(memory_, kGuard, PROT_NONE);
  inside_ =
      Prepare(static_cast<char*>(memory_) + kGuard + kStack, &Begin, this);
}

Fiber::~Fiber() { munmap(memory_, kGuard + kStack); }

SL_ON_FIBER void Fiber::Begin(Fiber* self) { self->run_(self->context_); }

SL_ON_FIBER void Fiber::Enter() { sluice_switch_stack(&outside_, inside_); }

SL_ON_FIBER void Fiber::Leave() { sluice_switch_stack(&inside_, outside_); }

}  // namespace sluice::emulated
