#include "sluice/passes/raise_control_flow.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

// Builds graphs of primitives; the text form cannot express edges that point
// upwards.
class RawTest : public testing::Test {
 protected:
  Node* Run(std::string_view op, std::vector<Value> inputs,
            const Attrs& attrs = {}, std::string_view name = "",
            std::vector<Node*> controls = {}) {
    NodeOptions options;
    options.name = name;
    options.controls = std::move(controls);
    Result<Node*> node =
        graph_->Add(graph_->root(), op, inputs, attrs, options);
    EXPECT_TRUE(node.ok()) << node.status().message();
    return *node;
  }
  Value Add(std::string_view op, std::vector<Value> inputs,
            std::string_view name = "") {
    return Run(op, std::move(inputs), {}, name)->output();
  }
  template <class T>
  Value Const(T value, std::string_view name,
              std::vector<Node*> controls = {}) {
    return Run("Const", {}, {{"value", Array::Scalar(value)}}, name,
               std::move(controls))
        ->output();
  }
  Value Arg(std::string_view name, DType dtype) {
    return *graph_->AddArg(graph_->root(), name, {dtype, Shape()});
  }
  Value Enter(Value v, std::string_view frame, bool constant = false) {
    return Run("Enter", {v},
               {{"frame", std::string(frame)},
                {"constant", constant},
                {"parallel", 4}})
        ->output();
  }
  // A Merge that waits for Next.
  Value Begin(Value init, std::string_view frame) {
    Value enter = Enter(init, frame);
    return Add("Merge", {enter, enter});
  }
  void Next(Value merge, Value v) {
    graph_->SetInput(*merge.node, 1, Add("NextIteration", {v}));
  }
  void Results(std::vector<Value> results) {
    graph_->SetResults(graph_->root(), std::move(results));
  }

  int Primitives() const {
    int count = 0;
    for (const Node* node : graph_->root().nodes()) {
      count += node->op().structural && node->regions().empty();
    }
    return count;
  }
  void ExpectRaised(std::string_view text) {
    ASSERT_TRUE(Verify(*graph_).ok()) << Verify(*graph_).message();
    Result<bool> changed = RaiseControlFlow(*graph_);
    ASSERT_TRUE(changed.ok()) << changed.status().message();
    EXPECT_TRUE(*changed);
    ASSERT_TRUE(Verify(*graph_).ok()) << Verify(*graph_).message();
    PrintOptions plain{.types = true, .lines = false};
    EXPECT_EQ(PrintGraph(*graph_, plain), PrintGraph(*ParseOrDie(text), plain));
  }
  void ExpectLeft() {
    ASSERT_TRUE(Verify(*graph_).ok()) << Verify(*graph_).message();
    int before = Primitives();
    Result<bool> changed = RaiseControlFlow(*graph_);
    ASSERT_TRUE(changed.ok()) << changed.status().message();
    EXPECT_FALSE(*changed) << PrintGraph(*graph_);
    EXPECT_EQ(Primitives(), before);
  }
  // The first result as text.
  std::string Meant(const std::vector<Array>& args) {
    return Meaning(*graph_, args)[0];
  }

  std::unique_ptr<Graph> graph_ = std::make_unique<Graph>("g");
};

// i from 0 and x, while i < n: x = x * k.
TEST_F(RawTest, AFrameBecomesAWhile) {
  Value n = Arg("n", DType::kI32), x = Arg("x", DType::kF32),
        k = Arg("k", DType::kF32);
  Value zero = Const(0, "zero");
  Value i = Begin(zero, "powers"), v = Begin(x, "powers");
  Value limit = Enter(n, "powers", true), factor = Enter(k, "powers", true);
  Value cond = Add("LoopCond", {Add("Less", {i, limit}, "c")});
  Node* gate_i = Run("Switch", {i, cond});
  Node* gate_v = Run("Switch", {v, cond});
  // A constant of the body waits for a value that is there only in the body.
  Node* pivot = Run("Identity", {gate_i->output(1)}, {}, "pivot");
  Value one = Const(1, "one", {pivot});
  Next(i, Add("Add", {gate_i->output(1), one}, "j"));
  Next(v, Add("Mul", {gate_v->output(1), factor}, "y"));
  Value out = Add("Exit", {gate_v->output(0)});
  Results({Add("Neg", {out}, "last")});
  ExpectRaised(R"(graph g(%n: i32[], %x: f32[], %k: f32[]) -> (%last) {
    %zero = Const [value = 0]
    %powers = While(%zero, %x) [dtypes = {i32, f32}, parallel = 4]
        : i32[], f32[] {
      cond(%v0: i32[], %v1: f32[]) { %c = Less(%v0, %n) yield %c }
      body(%v0: i32[], %v1: f32[]) {
        %pivot = Identity(%v0)
        %one = Const [value = 1] after %pivot
        %j = Add(%v0, %one)
        %y = Mul(%v1, %k)
        yield %j, %y
      }
    }
    %last = Neg(%powers:1)
  })");
  EXPECT_EQ(graph_->FindNode("powers")->key(), NodeKey("powers"));
  Array two = Array::Scalar(2.0f), three = Array::Scalar(3.0f);
  EXPECT_EQ(Meant({Array::Scalar(3), two, three}), "f32[] -54");
  EXPECT_EQ(Meant({Array::Scalar(0), two, three}), "f32[] -2");
}

TEST_F(RawTest, ADiamondBecomesAnIf) {
  Value p = Arg("p", DType::kBool), x = Arg("x", DType::kF32),
        k = Arg("k", DType::kF32);
  Node* sx = Run("Switch", {x, p});
  Node* sp = Run("Switch", {p, p});
  Node* pivot = Run("Identity", {sp->output(0)}, {}, "pivot");
  Value a = Add("Exp", {sx->output(1)}, "a");
  Value b = Add("Mul", {sx->output(0), k}, "b");
  Value c = Const(7.0f, "c", {pivot});
  Value m = Add("Merge", {b, a}, "m");
  Value m2 = Add("Merge", {sx->output(1), c}, "m2");
  Results({m, m2});
  ExpectRaised(R"(graph g(%p: bool[], %x: f32[], %k: f32[]) -> (%m, %m:1) {
    %m = If(%p) [dtypes = {f32, f32}] : f32[], f32[] {
      then() { %a = Exp(%x) yield %a, %x }
      else() {
        %pivot = Identity(%p)
        %b = Mul(%x, %k)
        %c = Const [value = 7.0] after %pivot
        yield %b, %c
      }
    }
  })");
  EXPECT_EQ(
      Meant({Array::Scalar(false), Array::Scalar(2.0f), Array::Scalar(5.0f)}),
      "f32[] 10");
}

TEST_F(RawTest, TwoDiamondsOnOnePredicateAreTwoIfs) {
  Value p = Arg("p", DType::kBool), x = Arg("x", DType::kF32);
  Node* s1 = Run("Switch", {x, p});
  Value m1 =
      Add("Merge", {s1->output(0), Add("Neg", {s1->output(1)}, "a")}, "m1");
  Node* s2 = Run("Switch", {m1, p});
  Value m2 =
      Add("Merge", {s2->output(0), Add("Exp", {s2->output(1)}, "b")}, "m2");
  Results({m2});
  ExpectRaised(R"(graph g(%p: bool[], %x: f32[]) -> (%m2) {
    %m1 = If(%p) [dtypes = {f32}] : f32[] {
      then() { %a = Neg(%x) yield %a }
      else() { yield %x }
    }
    %m2 = If(%p) [dtypes = {f32}] : f32[] {
      then() { %b = Exp(%m1) yield %b }
      else() { yield %m1 }
    }
  })");
}

// while v < n: v = v < 10 ? -v + 20 : (a loop that adds 3 until v >= 15).
TEST_F(RawTest, LoopsInBranchesInLoops) {
  Value n = Arg("n", DType::kI32), x = Arg("x", DType::kI32);
  Value v = Begin(x, "outer");
  Value limit = Enter(n, "outer", true);
  Value cond = Add("LoopCond", {Add("Less", {v, limit}, "c")});
  Node* gate = Run("Switch", {v, cond});
  Value now = gate->output(1);
  Node* pivot = Run("Identity", {now}, {}, "pivot");
  Value ten = Const(10, "ten", {pivot}), twenty = Const(20, "twenty", {pivot}),
        three = Const(3, "three", {pivot}),
        fifteen = Const(15, "fifteen", {pivot});
  Value small = Add("Less", {now, ten}, "small");
  Node* s = Run("Switch", {now, small});
  Node* s3 = Run("Switch", {three, small});
  Node* s15 = Run("Switch", {fifteen, small});
  Value a = Add("Sub", {twenty, s->output(1)}, "a");
  Value w = Begin(s->output(0), "inner");
  Value step = Enter(s3->output(0), "inner", true),
        stop = Enter(s15->output(0), "inner", true);
  Value inner_cond = Add("LoopCond", {Add("Less", {w, stop}, "ic")});
  Node* inner_gate = Run("Switch", {w, inner_cond});
  Next(w, Add("Add", {inner_gate->output(1), step}, "ij"));
  Value b = Add("Exit", {inner_gate->output(0)});
  Value m = Add("Merge", {b, a}, "m");
  Next(v, m);
  Results({Add("Exit", {gate->output(0)})});
  ExpectRaised(R"(graph g(%n: i32[], %x: i32[]) -> (%outer) {
    %outer = While(%x) [dtypes = {i32}, parallel = 4] : i32[] {
      cond(%v0: i32[]) { %c = Less(%v0, %n) yield %c }
      body(%v0: i32[]) {
        %pivot = Identity(%v0)
        %ten = Const [value = 10] after %pivot
        %twenty = Const [value = 20] after %pivot
        %three = Const [value = 3] after %pivot
        %fifteen = Const [value = 15] after %pivot
        %small = Less(%v0, %ten)
        %m = If(%small) [dtypes = {i32}] : i32[] {
          then() { %a = Sub(%twenty, %v0) yield %a }
          else() {
            %inner = While(%v0) [dtypes = {i32}, parallel = 4] : i32[] {
              cond(%w named "v0": i32[]) {
                %ic = Less(%w, %fifteen) yield %ic
              }
              body(%w named "v0": i32[]) { %ij = Add(%w, %three) yield %ij }
            }
            yield %inner
          }
        }
        yield %m
      }
    }
  })");
  EXPECT_EQ(Meant({Array::Scalar(15), Array::Scalar(6)}), "i32[] 17");
  EXPECT_EQ(Meant({Array::Scalar(15), Array::Scalar(16)}), "i32[] 16");
}

TEST_F(RawTest, LoopsInLoops) {
  Value n = Arg("n", DType::kI32), x = Arg("x", DType::kI32);
  Value v = Begin(x, "outer");
  Value limit = Enter(n, "outer", true);
  Value cond = Add("LoopCond", {Add("Less", {v, limit}, "c")});
  Node* gate = Run("Switch", {v, cond});
  Value w = Begin(gate->output(1), "inner");
  Value inner_limit = Enter(limit, "inner", true);
  Value inner_cond = Add("LoopCond", {Add("Less", {w, inner_limit}, "ic")});
  Node* inner_gate = Run("Switch", {w, inner_cond});
  Next(w, Add("Add", {inner_gate->output(1), inner_gate->output(1)}, "ij"));
  Next(v, Add("Exit", {inner_gate->output(0)}));
  Results({Add("Exit", {gate->output(0)})});
  ExpectRaised(R"(graph g(%n: i32[], %x: i32[]) -> (%outer) {
    %outer = While(%x) [dtypes = {i32}, parallel = 4] : i32[] {
      cond(%v0: i32[]) { %c = Less(%v0, %n) yield %c }
      body(%v0: i32[]) {
        %inner = While(%v0) [dtypes = {i32}, parallel = 4] : i32[] {
          cond(%w named "v0": i32[]) { %ic = Less(%w, %n) yield %ic }
          body(%w named "v0": i32[]) { %ij = Add(%w, %w) yield %ij }
        }
        yield %inner
      }
    }
  })");
  EXPECT_EQ(Meant({Array::Scalar(50), Array::Scalar(3)}), "i32[] 96");
}

// --- Irregular parts stay as they are. ---

TEST_F(RawTest, AValueOfABranchThatIsFetchedStaysRaw) {
  Value p = Arg("p", DType::kBool), x = Arg("x", DType::kF32);
  Node* s = Run("Switch", {x, p});
  Value a = Add("Neg", {s->output(1)});
  Value m = Add("Merge", {s->output(0), a});
  Results({m, a});
  ExpectLeft();
}

TEST_F(RawTest, TheIndexOfAMergeStaysRaw) {
  Value p = Arg("p", DType::kBool), x = Arg("x", DType::kF32);
  Node* s = Run("Switch", {x, p});
  Node* m = Run("Merge", {s->output(0), Add("Neg", {s->output(1)})});
  Results({m->output(0), Add("Neg", {m->output(1)})});
  ExpectLeft();
}

TEST_F(RawTest, AMergeOfThreeOrOfOneSideStaysRaw) {
  Value p = Arg("p", DType::kBool), x = Arg("x", DType::kF32);
  Node* s = Run("Switch", {x, p});
  Value a = Add("Neg", {s->output(1)}), b = Add("Exp", {s->output(1)});
  Results({Add("Merge", {s->output(0), a, b})});
  ExpectLeft();
}

TEST_F(RawTest, ValuesThatCrossToTheOtherBranchStayRaw) {
  Value p = Arg("p", DType::kBool), x = Arg("x", DType::kF32);
  Node* s = Run("Switch", {x, p});
  Value dead = Add("Add", {s->output(0), s->output(1)});
  Results({Add("Merge", {s->output(0), dead})});
  ExpectLeft();
}

// A dead input is harmless in the branch not taken, but an If reads all inputs.
TEST_F(RawTest, ADeadValueInOneBranchStaysRaw) {
  Value p = Arg("p", DType::kBool), q = Arg("q", DType::kBool),
        x = Arg("x", DType::kF32);
  Value dead = Run("Switch", {x, q})->output(1);
  Node* s = Run("Switch", {x, p});
  Results({Add("Merge", {s->output(0), Add("Add", {s->output(1), dead})})});
  ExpectLeft();
}

TEST_F(RawTest, ABranchThatTriggersStaysRaw) {
  Value p = Arg("p", DType::kBool), x = Arg("x", DType::kF32);
  Node* s = Run("Switch", {x, p});
  Value a = Add("Neg", {s->output(1)});
  Run("ControlTrigger", {}, {}, "trigger", {a.node});
  Results({Add("Merge", {s->output(0), a})});
  ExpectLeft();
}

// A loop of one value, except for the caller's changes.
class RawLoopTest : public RawTest {
 protected:
  void SetUp() override {
    n = Arg("n", DType::kI32);
    x = Arg("x", DType::kI32);
    v = Begin(x, "loop");
    less = Add("Less", {v, Enter(n, "loop", true)});
    cond = Add("LoopCond", {less});
    gate = Run("Switch", {v, cond});
  }
  void Close(Value next) {
    Next(v, next);
    Results({Add("Exit", {gate->output(0)})});
  }
  Value Doubled() { return Add("Add", {gate->output(1), gate->output(1)}); }
  Value n, x, v, less, cond;
  Node* gate = nullptr;
};

TEST_F(RawLoopTest, TwoLoopCondsStayRaw) {
  Add("LoopCond", {less});
  Close(Doubled());
  ExpectLeft();
}

TEST_F(RawLoopTest, NextIterationsInARowStayRaw) {
  Close(Add("NextIteration", {Doubled()}));
  ExpectLeft();
}

TEST_F(RawLoopTest, AnExitFromTheBodyStaysRaw) {
  Value y = Doubled();
  Next(v, y);
  Results({Add("Exit", {gate->output(0)}), Add("Exit", {y})});
  ExpectLeft();
}

TEST_F(RawLoopTest, AValueFromOutsideThatDidNotEnterStaysRaw) {
  Close(Add("Add", {gate->output(1), n}));
  ExpectLeft();
}

TEST_F(RawLoopTest, ABodyThatReadsWhatTheConditionComputedStaysRaw) {
  Close(Add("Select", {less, gate->output(1), Doubled()}));
  ExpectLeft();
}

TEST_F(RawLoopTest, ABodyMayReadAValueBeforeItsGate) {
  Close(Add("Add", {gate->output(1), v}));
  Result<bool> changed = RaiseControlFlow(*graph_);
  ASSERT_TRUE(changed.ok() && *changed);
  ASSERT_TRUE(Verify(*graph_).ok()) << Verify(*graph_).message();
  EXPECT_EQ(Primitives(), 0);
  EXPECT_EQ(Meant({Array::Scalar(50), Array::Scalar(3)}), "i32[] 96");
}

TEST_F(RawLoopTest, AnotherValueThatMayNotEnterStaysRaw) {
  Value p = Arg("p", DType::kBool);
  Value w = Begin(Run("Switch", {x, p})->output(1), "loop");
  Node* gate_w = Run("Switch", {w, cond});
  Next(w, gate_w->output(1));
  Value out = Add("Exit", {gate_w->output(0)});
  Close(Doubled());
  Results({Add("Exit", {gate->output(0)}),
           Add("Merge", {out, Run("Switch", {x, p})->output(0)})});
  ExpectLeft();
}

TEST_F(RawLoopTest, ConstantsBehindGatesAndSharedNextIterations) {
  Value k = Enter(x, "loop", true);
  Value w = Begin(n, "loop");
  Node* gate_k = Run("Switch", {k, cond});
  Node* gate_w = Run("Switch", {w, cond});
  Node* again = Run("Switch", {v, cond});
  Value next =
      Add("NextIteration", {Add("Add", {gate->output(1), gate_k->output(1)})});
  graph_->SetInput(*v.node, 1, next);
  graph_->SetInput(*w.node, 1, next);
  Results({Add("Exit", {gate_w->output(0)}), Add("Exit", {again->output(0)})});
  ASSERT_TRUE(Verify(*graph_).ok()) << Verify(*graph_).message();
  Result<bool> changed = RaiseControlFlow(*graph_);
  ASSERT_TRUE(changed.ok() && *changed);
  ASSERT_TRUE(Verify(*graph_).ok()) << Verify(*graph_).message();
  EXPECT_EQ(Primitives(), 0);
  EXPECT_EQ(Meant({Array::Scalar(50), Array::Scalar(8)}), "i32[] 56");
  EXPECT_EQ(Meant({Array::Scalar(5), Array::Scalar(8)}), "i32[] 5");
}

TEST_F(RawLoopTest, SaysWhatItDid) {
  Close(Doubled());
  std::vector<std::string> notes;
  ASSERT_TRUE(RaiseControlFlow(*graph_, &notes).ok());
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("the frame \"loop\" of 8 nodes became a While"),
            std::string::npos)
      << notes[0];
}

}  // namespace
}  // namespace sluice
