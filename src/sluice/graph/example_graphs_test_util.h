// Graphs in text form that between them use everything the form can say.
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

}  // namespace sluice
