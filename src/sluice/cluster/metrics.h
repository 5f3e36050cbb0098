// The gauges of a server in Prometheus' text format, and a page that serves
// them: http://127.0.0.1:PORT/metrics, for this machine only.
//
// A MetricsPage has its own thread, which ends with the object.
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
  // port 0: the system chooses. `text` is called for every request. Error: the
  // port is in use.
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
  int stop_[2] = {-1, -1};  // a pipe, closed at the end
  std::function<std::string()> text_;
  std::thread thread_;
};

}  // namespace sluice::cluster
