// Splits graphs over tasks and runs them, for tests: with a random task for
// each node, and with messages that arrive in random order.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/comm/mailboxes.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/resource.h"
#include "sluice/partition/split_by_task.h"
#include "sluice/plan/executor_choice.h"

namespace sluice {

// Assigns one of `tasks` to every node. Nodes that must be together stay
// together: users of a resource, the nodes of a function and of its callees,
// raw primitives.
class RandomTasks {
 public:
  RandomTasks(const Graph& graph, int tasks, uint32_t seed);
  SplitOptions options() const;

 private:
  const Node* Find(const Node* node);
  void Join(const Node* a, const Node* b);
  void Visit(const Region& region, const Node* function);

  std::unordered_map<const Node*, const Node*> parent_;
  std::unordered_map<const Node*, int> tasks_;
};

// Holds back all messages and delivers them one by one, in random order.
class ShuffledMailboxes final : public Rendezvous {
 public:
  ShuffledMailboxes(uint32_t seed, MailboxOptions options)
      : boxes_(options), random_(seed) {}
  void Send(const MessageKey& key, Array value, SentCallback done) override;
  void Receive(const MessageKey& key, ReceivedCallback done) override;
  void Abort(const Status& why) override;
  // Delivers one message; false if there is none.
  bool DeliverOne();
  int64_t messages() const { return messages_; }
  Mailboxes& boxes() { return boxes_; }
  uint32_t Random() { return random_(); }

 private:
  struct Held {
    MessageKey key;
    Array value;
    SentCallback done;
  };
  Mailboxes boxes_;
  std::vector<Held> held_;
  std::mt19937 random_;
  int64_t messages_ = 0;
};

struct SplitRun {
  ExecutorChoice executor = ExecutorChoice::kAuto;
  uint32_t seed = 1;
  // False: everything runs on this thread, which detects when nothing can
  // continue, with messages in random order. True: one thread per task.
  bool threads = false;
  bool optimize = false;  // runs the passes on every piece
  MailboxOptions mailboxes;
  int64_t* messages = nullptr;  // receives the number of messages
};

// Runs the pieces with the arguments of the whole graph; returns its results in
// order. Checks that every piece is valid and nothing is left over.
Result<std::vector<Array>> RunPieces(std::vector<TaskPiece> pieces,
                                     const std::vector<Array>& args,
                                     size_t num_results, const SplitRun& run);

}  // namespace sluice
