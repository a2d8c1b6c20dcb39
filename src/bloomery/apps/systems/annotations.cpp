// C3: readers of annotated pages, who ask the server only for pages that may be annotated.
#include "bloomery/apps/gate/annotations.hpp"

#include "bloomery/apps/random.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

std::string annotated_page(std::uint64_t i) {
  return "http://annotated.example/" + std::to_string(i);
}

// The annotations of a day: those that are left of the first, and some more.
apps::annotated_pages::notes notes_of_day(std::uint64_t pages, std::uint64_t changed,
                                          std::uint64_t day) {
  apps::annotated_pages::notes made;
  for (std::uint64_t i = day * changed; i < pages + day * changed; ++i) {
    made[annotated_page(i)] = "a note on page " + std::to_string(i);
  }
  return made;
}

}  // namespace

lab::result annotations(const lab::request& asked) {
  const std::uint64_t pages = asked.count("pages");
  const std::uint64_t visits = asked.count("visits");
  const std::uint64_t days = asked.count("days");
  const double annotated = asked.ratio("annotated");
  math::require_whole("pages", pages, 1, 10'000'000);
  math::require_whole("visits", visits, 1, 10'000'000);
  math::require_whole("days", days, 1, 1000);
  math::require_part("annotated", annotated);
  math::require_part("changed", asked.ratio("changed"));
  const auto changed =
      static_cast<std::uint64_t>(asked.ratio("changed") * static_cast<double>(pages));

  apps::annotated_pages server(notes_of_day(pages, changed, 0), asked.ratio("fpr"));
  apps::annotation_gate reader;
  lab::random_stream random(asked.seed(), 1);
  apps::ledger book;
  std::uint64_t wrong = 0;
  std::uint64_t delta_bytes = 0;
  std::uint64_t whole_bytes = 0;
  std::uint64_t first_bytes = 0;
  double rates = 0;
  std::uint64_t strangers = 0;
  for (std::uint64_t day = 0; day < days; ++day) {
    if (day > 0) server.replace(notes_of_day(pages, changed, day));
    const auto delta = day > 0 ? server.changes_since(reader.version()) : std::nullopt;
    const auto whole = server.whole();
    if (delta) {
      reader.take_changes(*delta);
      delta_bytes += delta->size();
      whole_bytes += whole.size();
    } else {
      reader.take_whole(whole);
      first_bytes = whole.size();
    }
    wrong += std::uint64_t{reader.save() != wire::save(server.filter())};
    const double rate = reader.current_rate();
    for (std::uint64_t i = 0; i < visits; ++i) {
      // Pages without a note are new each time, so that the answers are independent.
      const bool has = random.chance(annotated);
      const std::string url = has ? annotated_page(day * changed + random.below(pages))
                                  : "http://elsewhere.example/" + std::to_string(asked.seed()) +
                                        "/" + std::to_string(day * visits + i);
      const bool passed = reader.may_be_annotated(url);
      book.record(passed, has);
      wrong += std::uint64_t{(server.find(url) != nullptr) != has};
      if (has) continue;
      rates += rate;
      ++strangers;
    }
  }

  lab::result found;
  found.never("a page was annotated and nobody asked for its note", book.missed(),
              book.asked() - book.strangers());
  found.never("a reader had another filter than the server, or a note was another page's", wrong,
              days * (visits + 1));
  const double rate = strangers == 0 ? 0 : rates / static_cast<double>(strangers);
  if (strangers > 0) {
    lab::figure questions = lab::count_of("questions: annotated pages, and a few others",
                                          book.false_positives(), strangers, rate);
    const auto true_ones = static_cast<double>(book.true_positives());
    questions.measured += true_ones;
    questions.predicted->low += true_ones;
    questions.predicted->high += true_ones;
    questions.rivals = {{"without a filter", static_cast<double>(book.asked())}};
    found.add(std::move(questions));
    found.add(lab::false_positives_of("pages without a note that were asked for", book, rate));
  }
  found.add(
      lab::told("bytes of the first download", lab::unit::bytes, static_cast<double>(first_bytes)));
  if (whole_bytes > 0) {
    const auto downloads = static_cast<double>(days - 1);
    found
        .add(lab::told("bytes of a daily download", lab::unit::bytes,
                       static_cast<double>(delta_bytes) / downloads))
        .rivals = {{"whole filter", static_cast<double>(whole_bytes) / downloads}};
  }
  return found;
}

extern constinit const system_info annotations_system{
    .id = "C3",
    .name = "Vistabar",
    .source = "Marais and Bharat 1997; Broder and Mitzenmacher, section 5",
    .where = pattern::gate,
    .does =
        "A reader of annotated pages downloads a filter of their addresses now and then, by delta "
        "when it has changed, and asks the server only for pages that are in it.",
    .figure =
        "Every annotated page is asked for, and of the others the filter's rate; a daily download "
        "is a fraction of the filter.",
    .verb = "cache ask",
    .needs = "",
    .settings_or_none = {{{"pages", "20k", "that are annotated"},
                          {"visits", "50k", "of a reader, each day"},
                          {"annotated", "5%", "share of visits that go to annotated pages"},
                          {"days", "5", "with a download each"},
                          {"changed", "1%", "share of annotations that go and come each day"},
                          {"fpr", "1%", "rate of the filter when its room is used up"}}},
    .run = annotations};

}  // namespace bloomery::systems
