#include "sluice/plan/memory_walk.h"

#include <algorithm>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/device/device_name.h"
#include "sluice/graph/loop_counts.h"
#include "sluice/graph/role_of.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/host_inputs.h"
#include "sluice/placement/value_flow.h"

namespace sluice {

namespace {

// More incomparable peaks would not be useful.
constexpr size_t kMostPeaks = 8;

AllocationSite SiteOf(const Node& node) {
  if (node.is_args()) return {};
  return {node.op().name, node.line()};
}

// -1: not known.
int64_t BytesOf(const ValueType& type) {
  if (IsReference(type.dtype)) return 0;
  if (!type.shape.fully_known()) return -1;
  int64_t bytes = DTypeSize(type.dtype);
  for (int64_t dim : type.shape.dims()) {
    if (!CheckedMul(bytes, dim, &bytes)) return INT64_MAX;
  }
  return bytes;
}

bool IsList(const Value& v) { return v.dtype() == DType::kList; }

}  // namespace

MemoryWalk::MemoryWalk(const Graph& graph, std::vector<std::string> args)
    : graph_(graph),
      places_(DeviceNameOf(nullptr), args),
      args_(std::move(args)) {
  DeviceNumber(places_.host());
}

int MemoryWalk::DeviceNumber(const std::string& name) {
  for (size_t i = 0; i < device_names_.size(); ++i) {
    if (device_names_[i] == name) return static_cast<int>(i);
  }
  device_names_.push_back(name);
  Result<DeviceName> parsed = DeviceName::Parse(name);
  on_host_.push_back(parsed.ok() && parsed->kind == DeviceKind::kCpu);
  forecast_.devices.push_back({name, {}});
  return static_cast<int>(device_names_.size()) - 1;
}

int MemoryWalk::PlaceOf(const Value& v) {
  const std::string& place = places_.PlaceOf(v);
  return place.empty() ? 0 : DeviceNumber(place);
}

int MemoryWalk::New(State& state, int device, ByteCount bytes,
                    const Node& node) {
  if (state.live.size() < device_names_.size()) {
    state.live.resize(device_names_.size());
  }
  int id;
  if (state.free.empty()) {
    id = static_cast<int>(state.storages.size());
    state.storages.emplace_back();
  } else {
    id = state.free.back();
    state.free.pop_back();
  }
  Storage& storage = state.storages[static_cast<size_t>(id)];
  storage = {};
  storage.device = device;
  storage.bytes = std::move(bytes);
  storage.site = SiteOf(node);
  storage.refs = 1;
  state.live[static_cast<size_t>(device)] += storage.bytes;
  return id;
}

int MemoryWalk::NewFor(State& state, const Value& v, const Node& node) {
  if (IsReference(v.dtype())) {
    if (!IsList(v)) return kNothing;
    int list = New(state, 0, {}, node);
    state.storages[static_cast<size_t>(list)].list = true;
    return list;
  }
  int device = PlaceOf(v);
  int64_t bytes = BytesOf(v.type());
  if (bytes < 0) {
    if (quiet_ == 0) {
      auto key = std::make_tuple(device, v.type().ToString(),
                                 static_cast<const void*>(&node));
      auto [it, first] = unknown_.emplace(key, forecast_.unknown.size());
      if (first) {
        forecast_.unknown.push_back({SiteOf(node),
                                     device_names_[static_cast<size_t>(device)],
                                     v.type().ToString(), 0});
      }
      ++forecast_.unknown[it->second].arrays;
    }
    bytes = 0;
  }
  return New(state, device, bytes, node);
}

void MemoryWalk::Keep(State& state, int storage) {
  if (storage != kNothing) {
    ++state.storages[static_cast<size_t>(storage)].refs;
  }
}

void MemoryWalk::Release(State& state, int storage) {
  std::vector<int> ending = {storage};
  while (!ending.empty()) {
    int id = ending.back();
    ending.pop_back();
    if (id == kNothing) continue;
    Storage& s = state.storages[static_cast<size_t>(id)];
    if (--s.refs > 0) continue;
    state.live[static_cast<size_t>(s.device)] -= s.bytes;
    ending.insert(ending.end(), s.elements.begin(), s.elements.end());
    s.elements.clear();
    state.free.push_back(id);
  }
}

void MemoryWalk::Bind(State& state, const Value& v, int storage) {
  state.of[v] = storage;
  auto it = state.uses_left.find(v);
  if (it == state.uses_left.end() || it->second == 0) Release(state, storage);
}

void MemoryWalk::Used(State& state, const Value& v) {
  auto it = state.uses_left.find(v);
  // Values of outer regions are counted there.
  if (it == state.uses_left.end() || it->second == 0) return;
  if (--it->second == 0) Release(state, StorageOf(state, v));
}

int MemoryWalk::StorageOf(const State& state, const Value& v) const {
  auto it = state.of.find(v);
  return it == state.of.end() ? kNothing : it->second;
}

bool MemoryWalk::EndsHere(const State& state, const Value& v) const {
  auto left = state.uses_left.find(v);
  int storage = StorageOf(state, v);
  return storage != kNothing && left != state.uses_left.end() &&
         left->second == 1 &&
         state.storages[static_cast<size_t>(storage)].refs == 1;
}

int MemoryWalk::WritableList(State& state, const Value& v, const Node& node) {
  int list = StorageOf(state, v);
  if (EndsHere(state, v)) {
    Keep(state, list);
    return list;
  }
  int copy = New(state, 0, {}, node);
  Storage& storage = state.storages[static_cast<size_t>(copy)];
  storage.list = true;
  storage.elements = state.storages[static_cast<size_t>(list)].elements;
  for (int element : std::vector<int>(storage.elements)) Keep(state, element);
  return copy;
}

int MemoryWalk::TakenOver(State& state, const Node& node, const Value& out) {
  const OpRecord& op = node.op();
  int64_t bytes = BytesOf(out.type());
  int device = PlaceOf(out);
  bool host = on_host_[static_cast<size_t>(device)];
  if (bytes < 0 || IsReference(out.dtype())) return kNothing;
  for (int i = 0; i < node.num_inputs(); ++i) {
    // On a device an op only overwrites its first input, and only if it
    // declares that.
    if (!(host && op.elementwise()) && !(i == 0 && op.cpu().in_place)) continue;
    const Value& in = node.input(i);
    if (!EndsHere(state, in)) continue;
    int id = StorageOf(state, in);
    const Storage& s = state.storages[static_cast<size_t>(id)];
    if (!s.list && s.device == device && BytesOf(in.type()) == bytes) return id;
  }
  return kNothing;
}

void MemoryWalk::VisitOp(State& state, Node& node) {
  const OpRecord& op = node.op();
  std::vector<Value> inputs = InputsWithCaptures(node);
  Value list_in;
  for (const Value& in : node.inputs()) {
    if (!list_in && IsList(in) && StorageOf(state, in) != kNothing) {
      list_in = in;
    }
  }
  bool hands_on = op.view || op.structural || op.any_memory ||
                  RoleOf(node) == Role::kIdentity;
  std::vector<int> touched;
  for (int i = 0; i < node.num_outputs(); ++i) {
    Value out = node.output(i);
    int storage = kNothing;
    int first = node.num_inputs() ? StorageOf(state, node.input(0)) : kNothing;
    if (IsList(out) && list_in) {
      int list = storage = WritableList(state, list_in, node);
      for (const Value& in : node.inputs()) {
        int element = StorageOf(state, in);
        if (element == kNothing || in == list_in) continue;
        if (IsInteger(in.dtype()) && in.shape().rank() == 0) continue;
        Keep(state, element);
        state.storages[static_cast<size_t>(list)].elements.push_back(element);
      }
    } else if (hands_on && !IsList(out) && node.num_inputs() > 0 &&
               (IsReference(node.input(0).dtype()) ||
                PlaceOf(node.input(0)) == PlaceOf(out))) {
      // Elements of lists belong to the list.
      storage = list_in ? kNothing : first;
      Keep(state, storage);
    } else if (int taken = TakenOver(state, node, out); taken != kNothing) {
      storage = taken;
      Keep(state, storage);
    } else {
      storage = NewFor(state, out, node);
      if (storage != kNothing) {
        touched.push_back(state.storages[static_cast<size_t>(storage)].device);
      }
    }
    state.of[out] = storage;
  }
  for (int device : touched) Record(state, device, node);
  for (const Value& in : inputs) Used(state, in);
  for (int i = 0; i < node.num_outputs(); ++i) {
    Bind(state, node.output(i), StorageOf(state, node.output(i)));
  }
}

Status MemoryWalk::Walk(State& state, const Region& region) {
  SL_ASSIGN_OR_RETURN(std::vector<Node*> order, TopologicalOrder(region));
  auto count = [&](const Value& v) {
    auto it = state.uses_left.find(v);
    if (it != state.uses_left.end()) ++it->second;
  };
  for (int i = 0; i < region.num_args(); ++i) {
    state.uses_left[region.arg(i)] = 0;
  }
  for (Node* node : order) {
    for (int i = 0; i < node->num_outputs(); ++i) {
      state.uses_left[node->output(i)] = 0;
    }
  }
  for (Node* node : order) {
    for (const Value& in : InputsWithCaptures(*node)) {
      if (in.node->region() == &region) count(in);
    }
  }
  // Results stay: their use never ends.
  for (const Value& v : region.results()) {
    if (v.node->region() == &region) count(v);
  }
  for (int i = 0; i < region.num_args(); ++i) {
    const Value v = region.arg(i);
    Bind(state, v, StorageOf(state, v));
  }
  for (Node* node : order) SL_RETURN_IF_ERROR(Visit(state, *node));
  return OkStatus();
}

Status MemoryWalk::Visit(State& state, Node& node) {
  switch (node.op().flow) {
    case Flow::kLoop:
      if (node.regions().size() == 2) return VisitLoop(state, node);
      break;
    case Flow::kBranch:
      return VisitBranch(state, node);
    case Flow::kCall:
      if (const Node* function = ValueFlow::FunctionOf(node)) {
        return VisitCall(state, node, *function->regions()[0]);
      }
      break;
    case Flow::kFunction:
      return OkStatus();
    default:
      break;
  }
  if (RoleOf(node) == Role::kVariable) {
    VisitVariable(state, node);
  } else {
    VisitOp(state, node);
  }
  return OkStatus();
}

void MemoryWalk::VisitVariable(State& state, Node& node) {
  const AttrValue* dtype = node.attrs().find("dtype");
  const AttrValue* shape = node.attrs().find("shape");
  Value handle = node.output();
  if (!dtype || !shape) return VisitOp(state, node);
  ValueType type{dtype->get<DType>(), shape->get<PartialShape>()};
  int64_t bytes = std::max<int64_t>(BytesOf(type), 0);
  int device = PlaceOf(handle);
  // It existed before the step and stays.
  New(state, device, bytes, node);
  state.of[handle] = kNothing;
  Record(state, device, node);
}

void MemoryWalk::BindResults(State& state, const Region& region, Node& node) {
  std::unordered_set<Value, ValueHash> seen;
  for (int i = 0; i < node.num_outputs(); ++i) {
    const Value v = region.results()[static_cast<size_t>(i)];
    int storage = StorageOf(state, v);
    // Values created in the region are transferred, once; values it only passes
    // on have another owner.
    bool own = v.node->region() == &region && seen.insert(v).second;
    if (!own) Keep(state, storage);
    state.of[node.output(i)] = storage;
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    Bind(state, node.output(i), StorageOf(state, node.output(i)));
  }
}

Status MemoryWalk::VisitBranch(State& state, Node& node) {
  // The branch that leaves the most counts from then on.
  State largest;
  ByteCount most;
  bool first = true;
  std::vector<int64_t> trips(forecast_.loops.size(), 100);
  for (const auto& region : node.regions()) {
    State branch = state;
    SL_RETURN_IF_ERROR(Walk(branch, *region));
    for (const Value& in : InputsWithCaptures(node)) Used(branch, in);
    BindResults(branch, *region, node);
    ByteCount total;
    for (const ByteCount& bytes : branch.live) total += bytes;
    trips.resize(forecast_.loops.size(), 100);
    if (first || total.At(trips) > most.At(trips)) {
      largest = std::move(branch);
      most = total;
    }
    first = false;
  }
  state = std::move(largest);
  return OkStatus();
}

Status MemoryWalk::VisitCall(State& state, Node& node, const Region& function) {
  if (!calling_.insert(&function).second) {
    // Recursive: the depth is unknown.
    if (quiet_ == 0) {
      forecast_.unknown.push_back({SiteOf(node), device_names_[0],
                                   "what a function keeps that calls itself",
                                   1});
    }
    VisitOp(state, node);
    return OkStatus();
  }
  std::vector<Value> inputs = InputsWithCaptures(node);
  int shift = node.num_inputs() - function.num_args();
  for (int i = 0; i < function.num_args(); ++i) {
    int storage = StorageOf(state, node.input(i + shift));
    Keep(state, storage);
    state.of[function.arg(i)] = storage;
  }
  Status walked = Walk(state, function);
  calling_.erase(&function);
  SL_RETURN_IF_ERROR(walked);
  for (const Value& in : inputs) Used(state, in);
  BindResults(state, function, node);
  return OkStatus();
}

void MemoryWalk::Record(const State& state, int device, const Node& node) {
  if (quiet_ > 0) return;
  const ByteCount& bytes = state.live[static_cast<size_t>(device)];
  auto& peaks = forecast_.devices[static_cast<size_t>(device)].peaks;
  for (const auto& peak : peaks) {
    if (peak.bytes.Covers(bytes)) return;
  }
  std::erase_if(peaks,
                [&](const auto& peak) { return bytes.Covers(peak.bytes); });
  if (peaks.size() >= kMostPeaks) return;
  MemoryForecast::Peak peak;
  peak.bytes = bytes;
  peak.at = SiteOf(node);
  std::map<std::tuple<std::string_view, const char*, int>,
           MemoryForecast::Share>
      shares;
  for (const Storage& s : state.storages) {
    if (s.refs <= 0 || s.device != device || s.bytes.zero()) continue;
    auto& share = shares[{s.site.op, s.site.line.file, s.site.line.line}];
    share.site = s.site;
    share.bytes += s.bytes;
    ++share.arrays;
  }
  for (auto& [key, share] : shares) peak.shares.push_back(std::move(share));
  peaks.push_back(std::move(peak));
}

Result<MemoryForecast> MemoryWalk::Run() {
  State state;
  state.live.resize(1);
  const Region& root = graph_.root();
  for (int i = 0; i < root.num_args(); ++i) {
    Value arg = root.arg(i);
    // The feeder holds it, too.
    int storage = NewFor(state, arg, *arg.node);
    Keep(state, storage);
    state.of[arg] = storage;
    if (storage != kNothing) Record(state, PlaceOf(arg), *arg.node);
  }
  SL_RETURN_IF_ERROR(Walk(state, root));
  for (size_t i = 0; i < forecast_.loops.size(); ++i) {
    forecast_.loops[i].count =
        forecast_.loops.size() == 1 ? "T" : StrCat("T", i + 1);
  }
  std::erase_if(forecast_.devices,
                [](const auto& d) { return d.peaks.empty(); });
  return std::move(forecast_);
}

Result<MemoryForecast> ForecastMemory(const Graph& graph,
                                      std::vector<std::string> args) {
  return MemoryWalk(graph, std::move(args)).Run();
}

}  // namespace sluice
