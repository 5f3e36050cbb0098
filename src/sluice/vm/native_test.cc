// Programs compiled to machine code must behave exactly as on the machine,
// including error texts. All other tests of this folder also run with
// SLUICE_JIT=always (cmake/Tests.cmake); these compare both directly and test
// when code is compiled.
#include "sluice/vm/native.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <thread>

#include "sluice/base/strings.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/vm/bytecode.h"
#include "sluice/vm/compile_queue.h"

namespace sluice {
namespace {

#define SKIP_WITHOUT_ENGINE()  \
  if (!TheNativeEngine().ok()) \
  GTEST_SKIP() << TheNativeEngine().status().message()

// The node "w" of a graph, compiled; its inputs are given by name.
class Program {
 public:
  Program(const std::string& text, NativeChoice choice)
      : graph_(MustParse(text)) {
    BytecodeOptions options;
    options.native = choice;
    auto code = Bytecode::Build(*graph_->FindNode("w"), options);
    EXPECT_TRUE(code.ok()) << code.status().ToString();
    code_ = std::move(*code);
  }

  Result<std::vector<Array>> Run(
      const std::vector<std::pair<std::string, Array>>& named,
      const StepContext& step = {}) const {
    std::vector<Array> inputs,
        outputs(static_cast<size_t>(graph_->FindNode("w")->num_outputs()));
    for (const Value& v : code_->inputs()) {
      if (const Array* constant = ConstantValue(v)) inputs.push_back(*constant);
      for (const auto& [name, value] : named) {
        if (v.ToString() == name) inputs.push_back(value);
      }
    }
    EXPECT_EQ(inputs.size(), code_->inputs().size());
    SL_RETURN_IF_ERROR(code_->Run(step, inputs, outputs));
    return outputs;
  }
  std::string Explain() const { return code_->Explain(); }

 private:
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Bytecode> code_;
};

// Compiled and on the machine: the same results, or the same error.
void ExpectSame(const std::string& text,
                const std::vector<std::pair<std::string, Array>>& named) {
  Program machine(text, NativeChoice::kNever);
  Program native(text, NativeChoice::kAlways);
  EXPECT_NE(native.Explain().find("compiled by"), std::string::npos)
      << native.Explain();
  auto want = machine.Run(named), got = native.Run(named);
  ASSERT_EQ(got.ok(), want.ok())
      << got.status().ToString() << want.status().ToString();
  if (!want.ok()) {
    EXPECT_EQ(got.status().message(), want.status().message());
    return;
  }
  for (size_t i = 0; i < want->size(); ++i) {
    EXPECT_TRUE((*got)[i].BitEquals((*want)[i]))
        << "result " << i << ": got " << (*got)[i].ToString() << ", wanted "
        << (*want)[i].ToString();
  }
}

Array I32(int32_t x) { return Array::Scalar(x); }
Array F32(float x) { return Array::Scalar(x); }

const char kSums[] = R"(graph g(%n: i32[], %x: f32[]) -> (%w, %w:1) {
  %w = While(0, %x) [dtypes = {i32, f32}] {
    cond(%i: i32[], %a: f32[]) { %c = Less(%i, %n) yield %c }
    body(%i: i32[], %a: f32[]) {
      %j = Add(%i, 1)
      %b = Mul(%a, 0.999)
      %d = Add(%b, 0.001)
      yield %j, %d
    }
  }
})";

TEST(Native, LoopsOverScalars) {
  SKIP_WITHOUT_ENGINE();
  for (int32_t n : {0, 1, 2, 255, 256, 257, 10'000}) {
    ExpectSame(kSums, {{"n", I32(n)}, {"x", F32(3)}});
  }
}

// Block functions of the ops, types without instructions, and special numbers.
TEST(Native, WhatItHasNoInstructionFor) {
  SKIP_WITHOUT_ENGINE();
  const char text[] =
      R"(graph g(%n: i32[], %x: f32[], %h: f16[], %k: u8[]) -> (%w) {
    %w = While(0, %x, %h, %k) [dtypes = {i32, f32, f16, u8}] {
      cond(%i: i32[], %a: f32[], %b: f16[], %c: u8[]) {
        %go = Less(%i, %n)
        yield %go
      }
      body(%i: i32[], %a: f32[], %b: f16[], %c: u8[]) {
        %j = Add(%i, 1)
        %t = Tanh(%a)
        %e = Exp(%t)
        %s = Sqrt(%e)
        %d = Div(%s, %a)
        %m = Maximum(%d, 0.5)
        %b2 = Mul(%b, %b)
        %b3 = Cast(%b2) [dtype = f32]
        %sum = Add(%m, %b3)
        %low = Less(%sum, 2.0)
        %y = Select(%low, %sum, %m)
        %b4 = Tanh(%b)
        %c2 = Add(%c, %c)
        yield %j, %y, %b4, %c2
      }
    }
  })";
  for (float x : {0.0f, 1.0f, -3.0f, 1e30f, std::nanf(""), HUGE_VALF}) {
    ExpectSame(text, {{"n", I32(20)},
                      {"x", F32(x)},
                      {"h", Array::Scalar(f16(0.75f))},
                      {"k", Array::Scalar<uint8_t>(3)}});
  }
}

TEST(Native, LoopsAndBranchesInsideOneAnother) {
  SKIP_WITHOUT_ENGINE();
  const char text[] = R"(graph g(%n: i32[], %x: f64[]) -> (%w) {
    %w = While(0, %x) [dtypes = {i32, f64}] {
      cond(%i: i32[], %a: f64[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %a: f64[]) {
        %j = Add(%i, 1)
        %v = While(0, %a) [dtypes = {i32, f64}, maximum = 7] {
          cond(%k: i32[], %b: f64[]) { %d = LessEqual(%k, %i) yield %d }
          body(%k: i32[], %b: f64[]) {
            %l = Add(%k, 1)
            %f = Cast(%k) [dtype = f64]
            %b1 = Sub(%b, %f)
            %three = Mod(%k, 3)
            %r = Case(%three) [dtypes = {f64}] {
              branch0() { %p = Mul(%b1, %b1) yield %p }
              branch1() { %q = Neg(%b1) yield %q }
              branch2() { yield %b }
            }
            yield %l, %r
          }
        }
        yield %j, %v:1
      }
    }
  })";
  for (int32_t n : {0, 1, 5, 40}) {
    ExpectSame(text, {{"n", I32(n)}, {"x", Array::Scalar(0.3)}});
  }
}

// Arrays next to scalars: the machine and compiled code alternate.
TEST(Native, StretchesBetweenKernels) {
  SKIP_WITHOUT_ENGINE();
  const char text[] = R"(graph g(%n: i32[], %x: f32[4]) -> (%w) {
    %w = While(0, %x, 1.0) [dtypes = {i32, f32, f32}] {
      cond(%i: i32[], %a: f32[4], %s: f32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %a: f32[4], %s: f32[]) {
        %j = Add(%i, 1)
        %b = Mul(%a, %s)
        %t = Sum(%b)
        %u = Mul(%t, 0.25)
        %big = Less(%u, 100.0)
        %r = If(%big) [dtypes = {f32}] {
          then() { %p = Add(%u, %s) yield %p }
          else() { %q = Sub(%s, 1.0) yield %q }
        }
        yield %j, %b, %r
      }
    }
  })";
  for (int32_t n : {0, 1, 30}) {
    ExpectSame(text, {{"n", I32(n)},
                      {"x", Array::Vector<float>({1, -0.5f, 2, 0.125f})}});
  }
}

TEST(Native, AnIndexOutOfRangeInALoopIsTheSameError) {
  SKIP_WITHOUT_ENGINE();
  const char text[] = R"(graph g(%n: i32[]) -> (%w) {
    %w = While(0) [dtypes = {i32}] {
      cond(%i: i32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[]) {
        %r = Case(%i) [dtypes = {i32}] {
          branch0() { %p = Add(%i, 1) yield %p }
          branch1() { %q = Add(%i, 1) yield %q }
        }
        yield %r
      }
    }
  })";
  ExpectSame(text, {{"n", I32(2)}});
  ExpectSame(text, {{"n", I32(3)}});
}

// The machine words the errors of operations that compiled code does not
// handle, even if it entered exactly there.
TEST(Native, DivisionByZeroIsTheSameError) {
  SKIP_WITHOUT_ENGINE();
  const char text[] = R"(graph g(%n: i32[], %k: i32[]) -> (%w) {
    %w = While(%n, %k) [dtypes = {i32, i32}] {
      cond(%i: i32[], %j: i32[]) {
        %m = Mod(%i, %j)
        %c = NotEqual(%m, 1)
        yield %c
      }
      body(%i: i32[], %j: i32[]) {
        %d = Sub(%j, 1)
        yield %i, %d
      }
    }
  })";
  ExpectSame(text, {{"n", I32(7)}, {"k", I32(5)}});
  ExpectSame(text, {{"n", I32(8)}, {"k", I32(0)}});
  ExpectSame(text, {{"n", I32(-8)}, {"k", I32(6)}});
  ExpectSame(text, {{"n", I32(4)}, {"k", I32(2)}});
}

TEST(Native, AnAssertionIsTheSameError) {
  SKIP_WITHOUT_ENGINE();
  const char text[] = R"(graph g(%n: i32[], %k: i32[]) -> (%w) {
    %w = While(%n) [dtypes = {i32}] {
      cond(%i: i32[]) { %c = Greater(%i, 0) yield %c }
      body(%i: i32[]) {
        %fits = NotEqual(%i, %k)
        %want = Assert(%fits) [message = "too many"]
        %d = Sub(%i, 1)
        yield %d
      }
    }
  })";
  ExpectSame(text, {{"n", I32(7)}, {"k", I32(9)}});
  ExpectSame(text, {{"n", I32(7)}, {"k", I32(7)}});
  ExpectSame(text, {{"n", I32(70)}, {"k", I32(1)}});
}

const char kEndless[] = R"(graph g(%x: f32[]) -> (%w) {
  %w = While(%x) [dtypes = {f32}] {
    cond(%a: f32[]) { %c = Less(%a, 1e30) yield %c }
    body(%a: f32[]) { %b = Mul(%a, 0.5) yield %b }
  }
})";

TEST(Native, AnEndlessLoopIsCancelled) {
  SKIP_WITHOUT_ENGINE();
  Program program(kEndless, NativeChoice::kAlways);
  Cancellation cancellation;
  StepContext step;
  step.cancellation = &cancellation;
  std::thread other([&] { cancellation.Cancel(Cancelled("enough")); });
  auto out = program.Run({{"x", F32(1)}}, step);
  other.join();
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.status().code(), Code::kCancelled);
  EXPECT_NE(out.status().message().find("of the loop"), std::string::npos)
      << out.status().ToString();
}

// While cold, the program runs on the machine; when hot, it is compiled in the
// background while runs continue, and a run switches to compiled code in the
// middle.
TEST(Native, HotLoopsAreCompiledInTheBackground) {
  SKIP_WITHOUT_ENGINE();
  Program program(kSums, NativeChoice::kHot);
  Program machine(kSums, NativeChoice::kNever);
  auto run = [&](const Program& p, int32_t n) {
    return *p.Run({{"n", I32(n)}, {"x", F32(3)}});
  };
  run(program, 100);
  EXPECT_EQ(program.Explain().find("native: "), std::string::npos)
      << program.Explain();
  Array want = run(machine, 300'000)[1];
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(run(program, 300'000)[1].BitEquals(want));
    if (i == 1) WaitForCompiled();
  }
  std::string text = program.Explain();
  size_t line = text.find("native: ");
  ASSERT_NE(line, std::string::npos) << text;
  EXPECT_NE(text.find("instructions, compiled by"), std::string::npos) << text;
  std::puts(text.substr(line, text.find('\n') - line).c_str());
}

// LLVM's static objects were destroyed while a thread was loading or using
// them, about one time in ten.
TEST(NativeDeathTest, AProcessMayEndWhileItCompiles) {
  SKIP_WITHOUT_ENGINE();
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own
  for (int32_t n : {2'000, 200'000, 2'000'000}) {
    auto run_and_end = [n] {
      Program program(kSums, NativeChoice::kHot);
      bool ok = program.Run({{"n", I32(n)}, {"x", F32(3)}}).ok();
      std::exit(ok ? 0 : 1);
    };
    EXPECT_EXIT(run_and_end(), testing::ExitedWithCode(0), "");
  }
}

TEST(Native, AForkedChildRunsWhatIsCompiled) {
  SKIP_WITHOUT_ENGINE();
  Program compiled(kSums, NativeChoice::kAlways);
  auto run = [](const Program& p) {
    return (*p.Run({{"n", I32(5000)}, {"x", F32(3)}}))[1];
  };
  Array want = run(compiled);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Program hot(kSums, NativeChoice::kHot);  // which it does not compile
    bool same = run(compiled).BitEquals(want) && run(hot).BitEquals(want);
    _exit(same ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Native, TheSameLoopIsCompiledOnce) {
  SKIP_WITHOUT_ENGINE();
  Program first(kSums, NativeChoice::kAlways);
  Program second(kSums, NativeChoice::kAlways);
  EXPECT_NE(second.Explain().find("for another program"), std::string::npos)
      << second.Explain();
}

TEST(Native, TheSwitchTurnsItOff) {
  Program program(kSums, NativeChoice::kNever);
  EXPECT_EQ(program.Explain().find("native:"), std::string::npos);
}

// Many runs at once, all of them hot.
TEST(Native, RunsMayOverlapWithCompiling) {
  Program program(kSums, NativeChoice::kHot);
  Program machine(kSums, NativeChoice::kNever);
  auto run = [](const Program& p, int32_t n) {
    return (*p.Run({{"n", I32(n)}, {"x", F32(3)}}))[1];
  };
  std::vector<Array> want, got(4);
  for (int n = 0; n < 4; ++n) want.push_back(run(machine, 50'000 + n));
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&, n] {
      for (int k = 0; k < 20; ++k) {
        got[static_cast<size_t>(n)] = run(program, 50'000 + n);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (size_t n = 0; n < 4; ++n) EXPECT_TRUE(got[n].BitEquals(want[n]));
}

}  // namespace
}  // namespace sluice
