#include "sluice/device/cuda/emulated/bad_address.h"

#include <pthread.h>
#include <signal.h>

#include <cstdio>
#include <memory>

namespace sluice::emulated {

namespace {

thread_local AddressWatch* watching = nullptr;
struct sigaction before_segv, before_bus;

// Whoever handled it before we came does so again.
void PassOn(int signal, siginfo_t* info, void* context) {
  const struct sigaction& before = signal == SIGSEGV ? before_segv : before_bus;
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    sigaction(signal, &before, nullptr);  // it happens again, and ends there
  }
}

void Handle(int signal, siginfo_t* info, void* context) {
  if (AddressWatch* watch = AddressWatch::Current()) {
    watch->Leave(reinterpret_cast<uintptr_t>(info->si_addr));
  }
  PassOn(signal, info, context);
}

void InstallOnce() {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_sigaction = &Handle;
    // Not blocked while it is handled: we leave the handler by a jump.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before_segv);
    sigaction(SIGBUS, &action, &before_bus);
    return true;
  }();
  (void)installed;
}

// The handler's own: a fiber's may be what ran out.
void MakeSignalStack() {
  constexpr size_t kBytes = size_t{64} << 10;
  thread_local std::unique_ptr<char[]> memory;
  if (memory) return;
  memory = std::make_unique<char[]>(kBytes);
  stack_t stack = {};
  stack.ss_sp = memory.get();
  stack.ss_size = kBytes;
  sigaltstack(&stack, nullptr);
}

}  // namespace

AddressWatch::AddressWatch() {
  InstallOnce();
  MakeSignalStack();
  watching = this;
}

AddressWatch::~AddressWatch() { watching = nullptr; }

AddressWatch* AddressWatch::Current() { return watching; }

void AddressWatch::Leave(uintptr_t address) {
  address_ = address;
  siglongjmp(back_, 1);
}

std::string AddressWatch::text() const {
  char text[96];
  std::snprintf(text, sizeof text,
                "touches the address %#llx, where it has no memory",
                static_cast<unsigned long long>(address_));
  return text;
}

}  // namespace sluice::emulated
