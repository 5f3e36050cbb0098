#include "sluice/cluster/metrics.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sluice/base/started_thread.h"
#include "sluice/base/strings.h"

namespace sluice::cluster {

namespace {

// The description of each gauge, in the order of output.
struct Known {
  const char *name, *help;
};
constexpr Known kKnown[] = {
    {"worker_sessions", "Sessions of masters that this task is part of."},
    {"worker_pieces", "Pieces of graphs that are registered."},
    {"worker_steps", "Steps that have begun or been sent tensors."},
    {"worker_running", "Pieces that run."},
    {"parts_kept_bytes", "Messages that come or go in parts."},
    {"waiting_calls", "Receivers and held-up senders."},
    {"waiting_messages", "Tensors that nobody has taken yet."},
    {"waiting_offers", "Large tensors that are to be fetched from here."},
    {"master_sessions", "Sessions of clients that this server leads."},
    {"master_steps", "Steps that this server leads."},
    {"master_prepared", "Graphs that are ready to run."},
    {"calls_total", "Calls that were served."},
    {"runs_total", "Pieces that have run."},
    {"failed_runs_total", "Pieces that ended with an error."},
    {"run_nanoseconds_total", "How long pieces have run."},
    {"sent_tensors_total", "Tensors sent to other tasks."},
    {"sent_bytes_total", "Bytes of tensors sent to other tasks."},
    {"received_tensors_total", "Tensors that came from other tasks."},
    {"received_bytes_total", "Bytes of tensors from other tasks."},
    {"waited_nanoseconds_total", "How long pieces waited for tensors."},
    {"copied_to_send_bytes_total", "Bytes that were copied to be sent."},
    {"fetched_bytes_total", "Bytes of large tensors that came by network."},
    {"shared_bytes_total", "Bytes that were read from other processes."},
};

const char* HelpOf(const std::string& name) {
  for (const Known& known : kKnown) {
    if (name == known.name) return known.help;
  }
  return "A figure of this server.";
}

std::string Escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::string PrometheusText(const StatusReply& reply) {
  std::string text;
  for (const Gauge& gauge : reply.gauges) {
    std::string name = "sluice_" + gauge.name;
    std::string value = StrCat(gauge.value);
    // Prometheus uses seconds.
    constexpr std::string_view kNanos = "nanoseconds_total";
    if (name.ends_with(kNanos)) {
      name.replace(name.size() - kNanos.size(), kNanos.size(), "seconds_total");
      value = StrCat(static_cast<double>(gauge.value) / 1e9);
    }
    StrAppend(text, "# HELP ", name, " ", HelpOf(gauge.name), "\n# TYPE ", name,
              " ", name.ends_with("_total") ? "counter" : "gauge", "\n", name,
              "{task=\"", Escaped(reply.self.task), "\"} ", value, "\n");
  }
  return text;
}

Result<std::unique_ptr<MetricsPage>> MetricsPage::Start(
    int port, std::function<std::string()> text) {
  std::unique_ptr<MetricsPage> page(new MetricsPage);
  page->text_ = std::move(text);
  page->listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int on = 1;
  setsockopt(page->listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  socklen_t length = sizeof(address);
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (page->listener_ < 0 || bind(page->listener_, plain, length) != 0 ||
      listen(page->listener_, 16) != 0 ||
      getsockname(page->listener_, plain, &length) != 0 ||
      pipe2(page->stop_, O_CLOEXEC) != 0) {
    return Status(Code::kUnavailable,
                  StrCat("cannot show metrics on 127.0.0.1:", port,
                         ": the port is taken"));
  }
  page->port_ = ntohs(address.sin_port);
  page->thread_ = StartedThread([raw = page.get()] { raw->Main(); });
  return page;
}

MetricsPage::~MetricsPage() {
  if (stop_[1] >= 0) close(stop_[1]);
  if (thread_.joinable()) thread_.join();
  if (stop_[0] >= 0) close(stop_[0]);
  if (listener_ >= 0) close(listener_);
}

void MetricsPage::Main() {
  for (;;) {
    pollfd both[] = {{listener_, POLLIN, 0}, {stop_[0], POLLIN, 0}};
    if (poll(both, 2, -1) < 0) continue;
    if (both[1].revents != 0) return;
    int visitor = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (visitor < 0) continue;
    Answer(visitor);
    close(visitor);
  }
}

// A client that sends nothing for a second is disconnected: others wait.
void MetricsPage::Answer(int visitor) {
  timeval second{1, 0};
  setsockopt(visitor, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
  setsockopt(visitor, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof(second));
  std::string request;
  char bytes[1024];
  while (request.find("\r\n\r\n") == std::string::npos &&
         request.size() < 8192) {
    ssize_t got = read(visitor, bytes, sizeof(bytes));
    if (got <= 0) return;
    request.append(bytes, static_cast<size_t>(got));
  }
  bool known = request.starts_with("GET /metrics ");
  std::string body = known ? text_() : "wanted GET /metrics\n";
  std::string answer =
      StrCat("HTTP/1.0 ", known ? "200 OK" : "404 Not Found",
             "\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: ",
             body.size(), "\r\n\r\n", body);
  std::string_view left = answer;
  while (!left.empty()) {
    ssize_t put = send(visitor, left.data(), left.size(), MSG_NOSIGNAL);
    if (put <= 0) return;
    left.remove_prefix(static_cast<size_t>(put));
  }
}

}  // namespace sluice::cluster
