#include "sluice/passes/sink_into_branches.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

Result<bool> Sink(Graph& graph) { return SinkIntoBranches(graph); }

constexpr const char* kChain =
    R"(graph g(%p: bool[], %q: bool[], %x: f32[3]) -> (%y, %both) {
    %a = Exp(%x)
    %b = Neg(%a)
    %both = Sqrt(%x)
    %c = Square(%b)
    %only = Abs(%x)
    %y = If(%p) [dtypes = {f32}] : f32[3] {
      then() {
        %z = If(%q) [dtypes = {f32}] : f32[3] {
          then() { %d = Add(%c, %both) yield %d }
          else() { yield %both }
        }
        yield %z
      }
      else() { yield %only }
    }
  })";

TEST(SinkIntoBranches, WhatOneBranchUsesIsComputedThere) {
  ExpectRewrite(Sink, kChain,
                R"(graph g(%p: bool[], %q: bool[], %x: f32[3]) -> (%y, %both) {
    %both = Sqrt(%x)
    %y = If(%p) [dtypes = {f32}] : f32[3] {
      then() {
        %z = If(%q) [dtypes = {f32}] : f32[3] {
          then() {
            %a = Exp(%x)
            %b = Neg(%a)
            %c = Square(%b)
            %d = Add(%c, %both)
            yield %d
          }
          else() { yield %both }
        }
        yield %z
      }
      else() { %only = Abs(%x) yield %only }
    }
  })");
  Array x = Array::Vector<float>({0.5f, 1, 2}), yes = Array::Scalar(true),
        no = Array::Scalar(false);
  ExpectSameMeaning(Sink, kChain, {{yes, yes, x}, {yes, no, x}, {no, no, x}});
}

TEST(SinkIntoBranches, LoopsFunctionsEffectsAndErrorsStayOutside) {
  ExpectUnchanged(Sink, R"(graph g(%p: bool[], %n: i32[], %x: f32[3])
                               -> (%y, %w, %r) {
    %k = Const [value = 2 : f32[]]
    %divided = Div(%n, %n)
    %said = TestSay(%x)
    %for_loop = Exp(%x)
    %for_call = Sqrt(%x)
    %pred = LogicalNot(%p)
    %y = If(%pred) [dtypes = {f32, i32}] : f32[3], i32[] {
      then() { %s = Mul(%said, %k) yield %s, %divided }
      else() { yield %x, %n }
    }
    %i0 = Const [value = 0]
    %w = While(%i0) [dtypes = {i32}] : i32[] {
      cond(%i: i32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[]) {
        %in = If(%p) [dtypes = {f32}] : f32[3] {
          then() { %e = Neg(%for_loop) yield %e }
          else() { yield %x }
        }
        %say = TestSay(%in)
        %j = Add(%i, 1)
        yield %j
      }
    }
    %f = Function { body() { %g = Neg(%for_call) yield %g } }
    %r = Call(%f) [dtypes = {f32}]
  })");
}

TEST(SinkIntoBranches, ALoopInABranchFindsTheValueBeforeIt) {
  ExpectRewrite(Sink, R"(graph g(%p: bool[], %n: i32[], %x: f32[3]) -> (%y) {
    %e = Exp(%x)
    %i0 = Const [value = 0]
    %y = If(%p) [dtypes = {f32}] : f32[3] {
      then() {
        %u = While(%i0, %x) [dtypes = {i32, f32}] : i32[], f32[3] {
          cond(%i: i32[], %v: f32[3]) { %c = Less(%i, %n) yield %c }
          body(%i: i32[], %v: f32[3]) {
            %j = Add(%i, 1) %s = Add(%v, %e) yield %j, %s
          }
        }
        yield %u:1
      }
      else() { yield %x }
    }
  })",
                R"(graph g(%p: bool[], %n: i32[], %x: f32[3]) -> (%y) {
    %i0 = Const [value = 0]
    %y = If(%p) [dtypes = {f32}] : f32[3] {
      then() {
        %e = Exp(%x)
        %u = While(%i0, %x) [dtypes = {i32, f32}] : i32[], f32[3] {
          cond(%i: i32[], %v: f32[3]) { %c = Less(%i, %n) yield %c }
          body(%i: i32[], %v: f32[3]) {
            %j = Add(%i, 1) %s = Add(%v, %e) yield %j, %s
          }
        }
        yield %u:1
      }
      else() { yield %x }
    }
  })");
}

}  // namespace
}  // namespace sluice
