#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "common.h"
#include "interrupt_region.h"
#include "sluice/base/interruption.h"
#include "sluice/base/started_thread.h"

namespace sluice::py {

namespace {

// All of it lives as long as the process: a signal may arrive at any time.
struct Watch {
  Interruption interruption;
  pthread_t main;
  // C++ runs on the main thread now, and may be interrupted.
  std::atomic<bool> running{false};
  std::atomic<bool> thread_started{false};
  sem_t wake;  // posted by the handler
  struct sigaction before = {};
  // An exception raised by a handler just before C++ began, not yet propagated.
  PyObject* raised = nullptr;
  PyObject* getsignal = nullptr;
  PyObject* default_handler = nullptr;
};
Watch* watch = nullptr;

void OnSignal(int number, siginfo_t* info, void* context) {
  int saved = errno;
  // While the main thread starts another one it blocks signals, so that a
  // library's thread may receive them. There Python notes a signal, but does
  // not make its main thread look.
  if (!pthread_equal(pthread_self(), watch->main)) {
    pthread_kill(watch->main, number);
    errno = saved;
    return;
  }
  // Lets Python note the signal, for when its code runs again.
  if (watch->before.sa_flags & SA_SIGINFO) {
    watch->before.sa_sigaction(number, info, context);
  } else {
    watch->before.sa_handler(number);
  }
  if (watch->running.load(std::memory_order_relaxed)) {
    watch->interruption.Request();
    sem_post(&watch->wake);
  }
  errno = saved;
}

// A separate thread cancels steps: waking waiters takes locks, which a signal
// handler must not.
void CancelForever() {
  while (true) {
    while (sem_wait(&watch->wake) != 0) {
    }
    watch->interruption.CancelSteps();
  }
}

void StepBegins() {
  if (watch->thread_started.exchange(true)) return;
  // Signals are handled by the main thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    StartedThread(CancelForever).detach();
  } catch (const std::system_error&) {
    watch->thread_started = false;  // the next step tries again
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Whether Python itself would raise KeyboardInterrupt.
bool DefaultHandlerInForce() {
  nb::object now = nb::steal(
      PyObject_CallFunction(watch->getsignal, "i", static_cast<int>(SIGINT)));
  if (now.is_valid()) return now.ptr() == watch->default_handler;
  PyErr_Clear();
  return false;
}

// Our handler precedes Python's until the program installs another one, which
// replaces it. Checked every time, for 150 ns; otherwise an early signal would
// be lost on an endless step.
void KeepHandler() {
  struct sigaction now;
  if (sigaction(SIGINT, nullptr, &now) != 0) return;
  bool ours = (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == &OnSignal;
  if (ours || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return;
  if (!DefaultHandlerInForce()) return;
  watch->before = now;
  struct sigaction mine = {};
  mine.sa_sigaction = &OnSignal;
  mine.sa_flags = now.sa_flags | SA_SIGINFO;
  mine.sa_mask = now.sa_mask;
  sigaction(SIGINT, &mine, nullptr);
}

bool RestoreRaised() {
  PyObject* raised = std::exchange(watch->raised, nullptr);
  if (!raised) return false;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised)), raised);
  Py_DECREF(raised);
  return true;
}

// Handles signals that arrived after the interpreter last checked. An exception
// raised by their handlers stops the work at its start, and propagates when it
// has ended.
void TakeEarlySignals() {
  // From an earlier section of C++ that was too short to notice it.
  if (watch->raised) return watch->interruption.Request();
  if (PyErr_Occurred() || PyErr_CheckSignals() == 0) return;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  Py_XDECREF(std::exchange(watch->raised, value));
  watch->interruption.Request();
  Py_AddPendingCall([](void*) { return RestoreRaised() ? -1 : 0; }, nullptr);
}

// This thread, unless another thread loads the package.
pthread_t MainThread() {
  PyObject* modules = PyImport_GetModuleDict();  // borrowed
  PyObject* threading = PyDict_GetItemString(modules, "threading");
  if (!threading) return pthread_self();
  nb::object main = nb::handle(threading).attr("main_thread")();
  return static_cast<pthread_t>(nb::cast<uintptr_t>(main.attr("ident")));
}

// A forked child has only the forking thread.
void AfterFork() {
  watch->main = pthread_self();
  watch->thread_started = false;
  sem_init(&watch->wake, 0, 0);
}

}  // namespace

void WatchInterrupts() {
  if (watch) return;
  // Not "signal", which takes longer to load.
  nb::module_ signals = nb::module_::import_("_signal");
  auto* made = new Watch;
  made->main = MainThread();
  made->getsignal = nb::object(signals.attr("getsignal")).release().ptr();
  made->default_handler =
      nb::object(signals.attr("default_int_handler")).release().ptr();
  sem_init(&made->wake, 0, 0);
  watch = made;
  Interruption::step_begins = &StepBegins;
  pthread_atfork(nullptr, nullptr, &AfterFork);
}

InterruptibleRegion::InterruptibleRegion()
    : opened_(watch && !Interruption::Current() &&
              pthread_equal(pthread_self(), watch->main)) {
  if (!opened_) {
    // Inside Python code called from C++.
    if (watch && Interruption::Current()) watch->running = true;
    return;
  }
  KeepHandler();
  watch->interruption.Clear();
  Interruption::SetCurrent(&watch->interruption);
  watch->running.store(true, std::memory_order_relaxed);
  TakeEarlySignals();
}

InterruptibleRegion::~InterruptibleRegion() {
  if (!opened_) {
    if (watch && Interruption::Current()) watch->running = false;
    return;
  }
  watch->running.store(false, std::memory_order_relaxed);
  Interruption::SetCurrent(nullptr);
}

PythonRegion::PythonRegion() : paused_(watch && Interruption::Current()) {
  if (paused_) watch->running = false;
}

void PythonRegion::End() {
  if (!paused_) return;
  watch->running = true;
  // Signals that Python code has not noticed are for the C++ code that
  // continues.
  TakeEarlySignals();
  if (watch->interruption.requested()) sem_post(&watch->wake);
}

bool RaisedBySignal() {
  return (watch && RestoreRaised()) || PyErr_CheckSignals() != 0;
}

}  // namespace sluice::py
