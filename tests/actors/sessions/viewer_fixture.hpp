// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/sessions/viewer.hpp"
#include "tests/actors/sessions/fake_sink.hpp"
#include "tests/actors/sessions/session_fixture.hpp"

#include <sstream>

namespace agentpool::test {

/// One frame of an event stream.
struct sse_frame {
  std::string id;
  std::string event;
  std::string data;
};

inline std::vector<sse_frame> parse_sse(const std::string& bytes) {
  std::vector<sse_frame> out;
  sse_frame frame;
  std::istringstream in{bytes};
  for (std::string line; std::getline(in, line);) {
    auto value = line.substr(std::min(line.size(), line.find(": ") + 2));
    if (line.empty() && !frame.event.empty())
      out.push_back(std::exchange(frame, {}));
    else if (line.starts_with("id:"))
      frame.id = value;
    else if (line.starts_with("event:"))
      frame.event = value;
    else if (line.starts_with("data:"))
      frame.data = value;
  }
  return out;
}

/// Real viewers of a real session (behind a registry that only forwards) before peers under control.
class ViewerFixture : public SessionFixture {
protected:
  ViewerFixture() {
    sys.registry().erase("session_registry");
    publish(names::session_registry, sys.spawn([this](caf::event_based_actor* self) -> caf::behavior {
      return {
        [this, self](subscribe_atom, const session_id&, const viewer_actor& viewer,
          bool live) -> caf::result<subscribed> {
          ++subscribes;
          if (subscribe_error)
            return to_error(*subscribe_error);
          return self->delegate(session, subscribe_atom_v, viewer, live);
        },
        [](turn_atom, const session_id&, const device_id&, bool) {},
        [](leave_atom, const session_id&) {},
        [](stay_atom, const session_id&) {},
      };
    }));
  }

  struct stream {
    std::shared_ptr<fake_sink> sink;
    viewer_actor actor;
    std::shared_ptr<std::optional<caf::error>> down;

    std::vector<uint64_t> seqs() const {
      std::vector<uint64_t> out;
      for (const auto& frame : parse_sse(sink->bytes))
        if (!frame.id.empty())
          out.push_back(std::stoull(frame.id));
      return out;
    }
    /// The frames without an id, in order.
    strings notices() const {
      strings out;
      for (const auto& frame : parse_sse(sink->bytes))
        if (frame.id.empty())
          out.push_back(frame.event);
      return out;
    }
    strings frames() const {
      strings out;
      for (const auto& frame : parse_sse(sink->bytes))
        out.push_back(frame.id.empty() ? frame.event : frame.id);
      return out;
    }
  };

  stream open(uint64_t after = 0, bool greedy = true, bool live = true) {
    stream out{std::make_shared<fake_sink>(), {}, {}};
    out.sink->greedy = greedy;
    out.actor = keep(spawn_viewer(sys, settings, viewer_order{id, after, live, "peer"}, out.sink));
    out.down = watch(out.actor);
    return out;
  }

  static std::vector<uint64_t> range(uint64_t first, uint64_t last) {
    std::vector<uint64_t> out;
    for (auto seq = first; seq <= last; ++seq)
      out.push_back(seq);
    return out;
  }

  /// `count` more events in the store, written before the session starts.
  void fill(size_t count, const std::string& fields = "{}") {
    auto& entry = tables->sessions.at(id);
    for (size_t i = 0; i < count; ++i)
      entry.events.push_back(make_event(++entry.row.last_seq, "notice", {}, 0, fields));
  }

  /// Events while the session runs: each its own commit.
  void produce(size_t count) {
    for (size_t i = 0; i < count; ++i)
      update("tool_call", R"({"sessionUpdate":"tool_call","toolCallId":"c","title":"t"})");
  }

  void live(const std::string& text) {
    caf::anon_send(session, live_atom_v, std::vector<live_frame>{{{}, "message", "m1", "1", 0, text, false}});
    sched.run();
  }

  viewer_settings settings;
  std::optional<failure> subscribe_error;
  unsigned subscribes = 0;
};

} // namespace agentpool::test
