// Graphs in text form that together cover every feature of the form.
#pragma once

#include <string_view>

namespace sluice {

inline constexpr std::string_view kSmallGraph = R"(
graph small(%a: f32[], %x: f32[?,4]) -> (%y, %parts:1) run %init {
  %init = TestNoOp()
  %k = Const [value = [1 2.5 -0 nan] : f32[4]]
  %y = Add(%x, %k) : f32[?,4] after %init on "/cpu:0" @ "model.cc":41
  %parts = Split(%y) [num = 2, axis = 1]
}
)";

inline constexpr std::string_view kLoopGraph = R"(
graph "newton's"(%a: f32[]) -> (%loop:1) {
  %zero = Const [value = 0 : i32[]]
  %loop = TestWhile(%zero, %a) [dtypes = {i32, f32}] : i32[], f32[] {
    cond(%i: i32[], %z: f32[]) {
      %q = Mul(%z, %z)
      %m = Sub(%q, %a)
      %p = Greater(%m, 1e-06)
      yield %p
    }
    body(%i: i32[], %z: f32[]) run %say {
      %i1 = Add(%i, 1)
      %say = TestSay(%z)
      %p2 = Less(%z, 0)
      %pick = TestIf(%p2) [dtype = f32] {
        then() { yield %z }
        else() { %z1 = Mul(%z, 0.5)  yield %z1 }
      }
      yield %i1, %pick
    }
  }
}
)";

inline constexpr std::string_view kAttrsGraph = R"(
graph attrs() {
  %defaults = TestAttrs()
  %n/all-of.them = TestAttrs [b = true, i = -3, f = 1e+300, s = "q\"\\\n\x01",
      t = bf16, shape = [2,?,s3], a = ["" "x y"] : string[2], is = {1, -2},
      fs = {0.25, inf, -inf, nan}, ss = {"", "z"}, ts = {bool, complex64},
      shapes = {[], [...], [0,1]}] key 0x1f
  %c = Const [value = [(1,-2.5) (nan,inf)] : complex64[1,2]]
  %h = Const [value = [0.1 65504 -inf] : f16[3]]
  %bf = Const [value = [3e+38 -0] : bf16[2]]
  %u = Const [value = 18446744073709551615 : u64[]]
  %l = Const [value = [-9223372036854775808 9223372036854775807] : i64[2]]
  %by = Const [value = [-128 127] : i8[2]]
  %t = Const [value = [true false] : bool[2]]
  %d = Const [value = [0.1 4.9406564584124654e-324] : f64[2]]
  %e = Const [value = [] : f32[0,3]]
  %"weird name:1" = Identity(%e) in ""
}
)";

// x squared n times, with primitives.
inline constexpr std::string_view kRawLoopGraph = R"(
graph raw(%n: i32[], %x: f32[2]) -> (%out, %count) {
  %zero = Const [value = 0]
  %one = Const [value = 1]
  %i_in = Enter(%zero) [frame = "loop"]
  %v_in = Enter(%x) [frame = "loop"]
  %n_in = Enter(%n) [frame = "loop", constant = true]
  %one_in = Enter(%one) [frame = "loop", constant = true]
  %i = Merge(%i_in, %i_next)
  %v = Merge(%v_in, %v_next) : f32[2], i32[]
  %less = Less(%i, %n_in)
  %p = LoopCond(%less)
  %i_sw = Switch(%i, %p)
  %v_sw = Switch(%v, %p)
  %i1 = Add(%i_sw:1, %one_in)
  %v1 = Mul(%v_sw:1, %v_sw:1)
  %i_next = NextIteration(%i1)
  %v_next = NextIteration(%v1)
  %count = Exit(%i_sw)
  %out = Exit(%v_sw)
}
)";

// A function that calls itself, selected by a Case.
inline constexpr std::string_view kRecursionGraph = R"(
graph recursion(%n: i32[], %which: i32[]) -> (%y) {
  %factorial = Function {
    body(%k: i32[]) {
      %p = Greater(%k, 1)
      %r = If(%p) [dtypes = {i32}] {
        then() {
          %k1 = Sub(%k, 1)
          %f = Call(%factorial, %k1) [dtypes = {i32}, shapes = {[]}]
          %kf = Mul(%k, %f)
          yield %kf
        }
        else() { %one = Const [value = 1] yield %one }
      }
      yield %r
    }
  }
  %y = Case(%which) [dtypes = {i32}] {
    branch0() { yield %n }
    branch1() {
      %c = Call(%factorial, %n) [dtypes = {i32}, shapes = {[]}]
      yield %c
    }
    branch2() { %m = Neg(%n) yield %m }
  }
}
)";

}  // namespace sluice
