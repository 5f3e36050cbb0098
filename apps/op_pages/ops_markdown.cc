#include "apps/op_pages/ops_markdown.h"

#include <map>

#include "sluice/base/strings.h"
#include "sluice/op/op_function.h"

namespace sluice {

namespace {

std::string Traits(const OpRecord& op) {
  std::vector<std::string> words;
  if (op.elementwise()) words.push_back("elementwise");
  if (op.view) words.push_back("a view where strides allow");
  if (op.commutative) words.push_back("commutative");
  if (op.random) words.push_back("random");
  if (op.handle) words.push_back("makes a resource handle");
  if (op.effect == Effect::kRead) words.push_back("reads its resource");
  if (op.effect == Effect::kWrite) words.push_back("changes its resource");
  if (op.async()) words.push_back("may wait, without a thread");
  if (op.dynamic_output && op.pure()) {
    words.push_back("the result's size depends on values");
  }
  return Join(words, ", ");
}

void AppendOp(std::string& out, const OpRecord& op) {
  StrAppend(out, "### ", op.name, "\n\n", op.doc, "\n\n    ", op.Signature(),
            "\n\n");
  if (HasFunction(op)) {
    StrAppend(out, "- C++: `sluice::", FunctionName(op), "`\n");
  }
  for (const TypeVar& type : op.types) {
    StrAppend(out, "- ", type.name, ": ", type.allowed, "\n");
  }
  for (const AttrSpec& attr : op.attrs) {
    StrAppend(out, "- attribute `", attr.name, "`, ", AttrKindName(attr.kind));
    if (attr.default_value.kind() != AttrKind::kNone) {
      StrAppend(out, ", default `", attr.default_value.ToString(), "`");
    }
    if (!attr.choices.empty()) {
      StrAppend(out, ", one of ", Join(attr.choices, ", "));
    }
    StrAppend(out, attr.doc.empty() ? "" : ": ", attr.doc, "\n");
  }
  if (std::string traits = Traits(op); !traits.empty()) {
    StrAppend(out, "- ", traits, "\n");
  }
  for (const Simplification& rule : op.simplifications) {
    StrAppend(out, "- simplified: ", rule.says, "\n");
  }
  if (op.max_ulp > 0) {
    StrAppend(out, "- f32 results within ", op.max_ulp,
              " units in the last place\n");
  }
  out += "\n";
}

std::string Page(std::span<const OpRecord* const> ops, bool internal,
                 std::string_view head) {
  std::map<std::string, std::vector<const OpRecord*>> topics;
  for (const OpRecord* op : ops) {
    if (op->internal == internal) topics[TopicOf(*op)].push_back(op);
  }
  std::string out(head);
  for (const auto& [topic, list] : topics) {
    StrAppend(out, "- [", topic, "](#", topic, "): ");
    std::vector<std::string> names;
    for (const OpRecord* op : list) names.push_back(op->name);
    StrAppend(out, Join(names, ", "), "\n");
  }
  out += "\n";
  for (const auto& [topic, list] : topics) {
    StrAppend(out, "## ", topic, "\n\n");
    for (const OpRecord* op : list) AppendOp(out, *op);
  }
  while (out.size() > 1 && out[out.size() - 2] == '\n') out.pop_back();
  return out;
}

}  // namespace

std::string OpsMarkdown(std::span<const OpRecord* const> ops) {
  return Page(
      ops, /*internal=*/false,
      "# Ops\n\n"
      "Written from the op records by `sluice info --ops-markdown`; a test "
      "compares.\nEvery op takes its operands' types and shapes as its record "
      "says and refuses\nothers with a message. `T` and the like stand for one "
      "type throughout a call.\nOps that only gradients, passes and the "
      "runtime make are in\n[internal_ops.md](internal_ops.md).\n\n");
}

std::string InternalOpsMarkdown(std::span<const OpRecord* const> ops) {
  return Page(
      ops, /*internal=*/true,
      "# Internal ops\n\n"
      "Written from the op records by `sluice info --internal-ops-markdown`; a "
      "test\ncompares. Gradients, passes, batching and the runtime make these; "
      "they are seen\nin texts of graphs and in profiles, have no functions, "
      "and may change. Those for\nusers are in [ops.md](ops.md).\n\n");
}

}  // namespace sluice
