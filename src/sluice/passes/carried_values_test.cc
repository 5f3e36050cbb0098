#include "sluice/passes/carried_values.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

Result<bool> Drop(Graph& graph) { return DropCarriedValues(graph); }

constexpr const char* kUnchanged =
    R"(graph g(%n: i32[], %x: f32[], %z: f32[]) -> (%w:1, %w:2) {
    %i0 = Const [value = 0]
    %w = While(%i0, %x, %z) [dtypes = {i32, f32, f32}] : i32[], f32[], f32[] {
      cond(%i: i32[], %v: f32[], %k: f32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %v: f32[], %k: f32[]) {
        %j = Add(%i, 1) %d = Add(%v, %k) yield %j, %d, %k
      }
    }
  })";

TEST(CarriedValues, WhatTheBodyReturnsUnchangedIsReadFromOutside) {
  ExpectRewrite(Drop, kUnchanged,
                R"(graph g(%n: i32[], %x: f32[], %z: f32[]) -> (%w:1, %z) {
    %i0 = Const [value = 0]
    %w = While(%i0, %x) [dtypes = {i32, f32}] : i32[], f32[] {
      cond(%i: i32[], %v: f32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %v: f32[]) {
        %j = Add(%i, 1) %d = Add(%v, %z) yield %j, %d
      }
    }
  })");
  ExpectSameMeaning(
      Drop, kUnchanged,
      {{Array::Scalar(3), Array::Scalar(1.0f), Array::Scalar(0.1f)},
       {Array::Scalar(0), Array::Scalar(1.0f), Array::Scalar(0.1f)}});
}

TEST(CarriedValues, WhatOnlyFeedsItselfGoes) {
  const char* text = R"(graph g(%n: i32[], %x: f32[]) -> (%w:1) {
    %i0 = Const [value = 0]
    %w = While(%i0, %x, %x, %x) [dtypes = {i32, f32, f32, f32}]
        : i32[], f32[], f32[], f32[] {
      cond(%i: i32[], %v: f32[], %a: f32[], %b: f32[]) {
        %unused = Neg(%a) %c = Less(%i, %n) yield %c
      }
      body(%i: i32[], %v: f32[], %a: f32[], %b: f32[]) {
        %j = Add(%i, 1) %d = Neg(%v) %a1 = Add(%a, %b) %b1 = Mul(%a, %b)
        yield %j, %d, %a1, %b1
      }
    }
  })";
  ExpectRewrite(Drop, text, R"(graph g(%n: i32[], %x: f32[]) -> (%w:1) {
    %i0 = Const [value = 0]
    %w = While(%i0, %x) [dtypes = {i32, f32}] : i32[], f32[] {
      cond(%i: i32[], %v: f32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %v: f32[]) {
        %j = Add(%i, 1) %d = Neg(%v) yield %j, %d
      }
    }
  })");
  ExpectSameMeaning(Drop, text, {{Array::Scalar(3), Array::Scalar(1.0f)}});
}

TEST(CarriedValues, WhatAnEffectOrAUsedValueNeedsStays) {
  ExpectUnchanged(Drop, R"(graph g(%n: i32[], %p: bool[], %x: f32[]) -> (%w:1) {
    %i0 = Const [value = 0]
    %w = While(%i0, %x, %x, %x) [dtypes = {i32, f32, f32, f32}]
        : i32[], f32[], f32[], f32[] {
      cond(%i: i32[], %v: f32[], %a: f32[], %b: f32[]) {
        %c = Less(%i, %n) yield %c
      }
      body(%i: i32[], %v: f32[], %a: f32[], %b: f32[]) {
        %j = Add(%i, 1) %d = Add(%v, %a) %a1 = Neg(%a)
        %b1 = Exp(%b)
        %s = TestIf(%p) [dtype = f32] {
          then() { %say = TestSay(%b) yield %say }
          else() { yield %x }
        }
        yield %j, %d, %a1, %b1
      }
    }
  })");
}

TEST(CarriedValues, ALoopThatMayNotEndStaysForItsResult) {
  const char* endless = R"(graph g(%p: bool[], %x: f32[]) -> (%w) {
    %w = While(%x) [dtypes = {f32}] : f32[] {
      cond(%v: f32[]) { yield %p }
      body(%v: f32[]) { yield %v }
    }
  })";
  ExpectUnchanged(Drop, endless);
  // A loop that ends is its argument.
  ExpectRewrite(Drop, R"(graph g(%p: bool[], %x: f32[]) -> (%w) {
    %w = While(%x) [dtypes = {f32}, maximum = 4] : f32[] {
      cond(%v: f32[]) { yield %p }
      body(%v: f32[]) { yield %v }
    }
  })",
                R"(graph g(%p: bool[], %x: f32[]) -> (%x) {
    %w = While() [dtypes = {}, maximum = 4] {
      cond() { yield %p }
      body() { }
    }
  })");
}

TEST(CarriedValues, LoopsInLoops) {
  const char* text = R"(graph g(%n: i32[], %x: f32[]) -> (%w:1) {
    %i0 = Const [value = 0]
    %w = While(%i0, %x, %x) [dtypes = {i32, f32, f32}] : i32[], f32[], f32[] {
      cond(%i: i32[], %v: f32[], %k: f32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %v: f32[], %k: f32[]) {
        %j = Add(%i, 1)
        %u = While(%i0, %v, %k) [dtypes = {i32, f32, f32}]
            : i32[], f32[], f32[] {
          cond(%ii: i32[], %vv: f32[], %kk: f32[]) {
            %cc = Less(%ii, %j) yield %cc
          }
          body(%ii: i32[], %vv: f32[], %kk: f32[]) {
            %jj = Add(%ii, 1) %d = Add(%vv, %kk) yield %jj, %d, %kk
          }
        }
        yield %j, %u:1, %k
      }
    }
  })";
  ExpectRewrite(Drop, text, R"(graph g(%n: i32[], %x: f32[]) -> (%w:1) {
    %i0 = Const [value = 0]
    %w = While(%i0, %x) [dtypes = {i32, f32}] : i32[], f32[] {
      cond(%i: i32[], %v: f32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %v: f32[]) {
        %j = Add(%i, 1)
        %u = While(%i0, %v) [dtypes = {i32, f32}] : i32[], f32[] {
          cond(%ii: i32[], %vv: f32[]) { %cc = Less(%ii, %j) yield %cc }
          body(%ii: i32[], %vv: f32[]) {
            %jj = Add(%ii, 1) %d = Add(%vv, %x) yield %jj, %d
          }
        }
        yield %j, %u:1
      }
    }
  })");
  ExpectSameMeaning(Drop, text, {{Array::Scalar(4), Array::Scalar(1.5f)}});
}

TEST(CarriedValues, AmongPrimitivesALoopIsDeadAsAWhole) {
  ExpectUnchanged(Drop, R"(graph g(%p: bool[], %x: i32[]) -> (%m) {
    %s = Switch(%x, %p)
    %w = While(%x, %s) [dtypes = {i32, i32}, maximum = 3] : i32[], i32[] {
      cond(%a: i32[], %b: i32[]) { yield %p }
      body(%a: i32[], %b: i32[]) { yield %a, %b }
    }
    %m = Merge(%w, %s:1)
  })");
}

}  // namespace
}  // namespace sluice
