#include "sluice/vm/native.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "sluice/base/strings.h"
#include "sluice/vm/compile_queue.h"
#include "sluice/vm/lower_native.h"

namespace sluice {

namespace {

// The machine needs about 20 us for this many iterations; compiling takes a
// thousand times that, but on another core.
constexpr int64_t kHotTrips = 1000;

NativeChoice FromEnvironment() {
  const char* given = std::getenv("SLUICE_JIT");
  std::string_view text = given ? given : "";
  if (text == "0") return NativeChoice::kNever;
  if (text == "always") return NativeChoice::kAlways;
  return NativeChoice::kHot;
}

std::string Millis(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", seconds * 1e3);
  return text;
}

}  // namespace

std::shared_ptr<VmNative> VmNative::For(const VmProgram& program,
                                        NativeChoice choice) {
  if (choice == NativeChoice::kDefault) choice = FromEnvironment();
  if (choice == NativeChoice::kNever) return nullptr;
  auto native = std::make_shared<VmNative>();
  native->program_ = &program;
  if (choice == NativeChoice::kAlways) native->Ask(/*now=*/true);
  return native;
}

std::unique_ptr<VmNative::Code> VmNative::Patched(
    const NativeSource& source) const {
  auto code = std::make_unique<Code>();
  int32_t entry = 0;
  for (size_t p = 0; p < program_->procedures.size(); ++p) {
    code->tables.emplace_back();
    if (source.procedures[p].entries.empty()) continue;
    std::vector<VmInstr>& table = code->tables.back();
    table = program_->procedures[p]->code;
    for (const NativeEntry& from : source.procedures[p].entries) {
      VmInstr& instr = table[static_cast<size_t>(from.at)];
      instr.code = Do::kNative;
      instr.a = entry++;
    }
  }
  return code;
}

void VmNative::Note(int64_t trips) {
  int64_t all = trips_.fetch_add(trips, std::memory_order_relaxed) + trips;
  if (all >= kHotTrips && !asked_.load(std::memory_order_relaxed)) {
    Ask(/*now=*/false);
  }
}

void VmNative::Ask(bool now) {
  if (asked_.exchange(true)) return;
  // Done here, where the graph is guaranteed to exist; compilation may come
  // later.
  auto source = std::make_shared<NativeSource>(
      now ? MakeNativeSource(*program_, /*min_stretch=*/1)
          : MakeNativeSource(*program_));
  {
    MutexLock lock(mu_);
    if (source->empty()) {
      state_ = State::kNever;
      why_ = "no loop is on scalars alone";
      return;
    }
    state_ = State::kAsked;
    code_ = Patched(*source);
  }
  // Code compiled for another program is available immediately.
  if (auto found = FindNative(*source)) {
    MutexLock lock(mu_);
    found_ = true;
    return Install(std::move(found));
  }
  auto job = [self = shared_from_this(), source] {
    auto made = CompileNative(std::move(*source));
    MutexLock lock(self->mu_);
    self->Install(std::move(made));
  };
  if (now) return job();
  if (!CompileLater(std::move(job))) {
    MutexLock lock(mu_);
    Install(ResourceExhausted("there is no thread to compile"));
  }
}

void VmNative::Install(Result<std::shared_ptr<const NativeBinary>> made) {
  if (!made.ok()) {
    state_ = State::kNever;
    why_ = made.status().message();
    return;
  }
  code_->binary = *std::move(made);
  state_ = State::kReady;
  ready_.store(code_.get(), std::memory_order_release);
}

std::string VmNative::Explain() const {
  MutexLock lock(mu_);
  switch (state_) {
    case State::kCold:
      return "";
    case State::kAsked:
      return "    native: being compiled\n";
    case State::kNever:
      return StrCat("    native: no, ", why_, "\n");
    case State::kReady:
      break;
  }
  const NativeSource& source = *code_->binary->source;
  return StrCat("    native: ", source.num_native, " of ",
                source.num_instructions, " instructions, compiled by ",
                code_->binary->engine->name, " in ",
                Millis(code_->binary->seconds),
                found_ ? " for another program" : "", "\n");
}

}  // namespace sluice
