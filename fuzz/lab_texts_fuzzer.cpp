// Any bytes may come as a text that the laboratory reads: they are refused with bloomery::error, or are a
// graph or a trace that keeps what its reader promises, and that reads the same when it is written again.
//
// The first byte chooses: an even one a graph in GML, an odd one a trace. The rest is the text.
#include <string>
#include <string_view>

#include "bloomery/apps/lab/gml.hpp"
#include "bloomery/apps/lab/trace.hpp"
#include "bloomery/core/error.hpp"
#include "fuzzing.hpp"

namespace {

using namespace bloomery;
using fuzzing::law;

void check_gml(std::string_view text) {
  const lab::gml_limits limits{.vertices = 1000, .edges = 1000, .depth = 8, .label = 100};
  const lab::gml_graph net = lab::read_gml(text, limits);
  law(net.whole.size() == net.sites.size() && net.sites.size() <= limits.vertices,
      "every vertex is a site");
  law(net.whole.edges() + net.repeated + net.loops <= limits.edges, "edges keep to their limit");
  std::string again = "graph [";
  for (const lab::gml_site& site : net.sites) {
    law(site.label.size() <= limits.label, "labels keep to their limit");
    law(!site.latitude || (*site.latitude >= -90 && *site.latitude <= 90), "a latitude is one");
    again += " node [ id " + std::to_string(site.id) + " label \"" + site.label + "\" ]";
  }
  for (lab::graph::vertex v = 0; v < net.whole.size(); ++v) {
    for (const lab::graph::vertex to : net.whole.neighbours(v)) {
      law(to != v && net.whole.has_edge(to, v), "edges are between two, both ways");
      if (v < to) {
        again += " edge [ source " + std::to_string(net.sites[v].id) + " target " +
                 std::to_string(net.sites[to].id) + " ]";
      }
    }
  }
  law(lab::read_gml(again + " ]", limits).whole == net.whole, "a graph reads as it was written");
}

void check_trace(std::string_view text) {
  const lab::trace_limits limits{.requests = 1000, .key_bytes = 100};
  const auto requests = lab::read_trace(text, limits);
  law(requests.size() <= limits.requests, "requests keep to their limit");
  bloomery::apps::time last{};  // not the one of C
  std::string again;
  for (const lab::traced_request& each : requests) {
    law(each.at >= last, "times never go back");
    law(!each.key.empty() && each.key.size() <= limits.key_bytes, "keys keep to their limit");
    last = each.at;
    const std::string digits =
        std::to_string(1'000'000'000 + each.at.time_since_epoch().count() % 1'000'000'000);
    again += std::to_string(each.at.time_since_epoch().count() / 1'000'000'000) + "." +
             digits.substr(1) + " " + each.key +
             (each.size ? " " + std::to_string(*each.size) : "") + "\r\n";  // a key may end in \r
  }
  const auto read = lab::read_trace(again, limits);
  law(read.size() == requests.size(), "a trace reads as it was written");
  for (std::size_t i = 0; i < read.size(); ++i) {
    law(read[i].at == requests[i].at && read[i].key == requests[i].key &&
            read[i].size == requests[i].size,
        "a request reads as it was written");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if (data[0] % 2 == 0) {
      check_gml(text);
    } else {
      check_trace(text);
    }
  } catch (const error& problem) {
    law(problem.code() == errc::invalid || problem.code() == errc::limit, "texts are to blame");
    law(std::string_view(problem.what()).find('\n') == std::string_view::npos,
        "a reason is one line");
  }
  return 0;
}
