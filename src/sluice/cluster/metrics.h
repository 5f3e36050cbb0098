// The gauges of a server in Prometheus' text form, and a page that shows them:
// http://127.0.0.1:PORT/metrics, for this machine alone.
//
// A MetricsPage has a thread of its own; it ends with the object.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "sluice/cluster/messages.h"

namespace sluice::cluster {

std::string PrometheusText(const StatusReply& reply);

class MetricsPage {
 public:
  // port 0: one is chosen. `text` is called for every visit. Error: the port is
  // taken.
  static Result<std::unique_ptr<MetricsPage>> Start(
      int port, std::function<std::string()> text);
  ~MetricsPage();
  int port() const { return port_; }

 private:
  MetricsPage() = default;
  void Main();
  void Answer(int visitor);

  int listener_ = -1;
  int port_ = 0;
  int stop_[2] = {-1, -1};  // a pipe that is closed at the end
  std::function<std::string()> text_;
  std::thread thread_;
};

}  // namespace sluice::cluster
