// secret: keys of guarded filters, and the messages by which parties ask without telling.
#include <fmt/format.h>

#include <algorithm>

#include "bloomery/apps/security/index_search.hpp"
#include "bloomery/apps/security/oblivious_query.hpp"
#include "bloomery/apps/security/query_conversion.hpp"
#include "bloomery/bits/memory/file_writer.hpp"
#include "bloomery/bits/memory/mapped_file.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "bloomery/wire/message.hpp"
#include "changed_file.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

using secure::secret_sort;

struct secret_options {
  std::string step;
  std::vector<std::string> arguments;
  std::string kind;
  std::string protocol = "rsa";
  std::string state;
  std::string output;
  bool json = false;
};

struct step_info {
  std::string_view name;
  std::size_t least;
  std::size_t most;
  std::string_view usage;
  bool writes = true;
};
constexpr std::array steps{
    step_info{"new", 0, 0, "secret new --kind K -o SECRET"},
    step_info{"public", 1, 1, "secret public SECRET -o PUBLIC"},
    step_info{"share", 3, 3, "secret share owner|asker SECRET PAD -o SHARE"},
    step_info{"pair", 2, 2, "secret pair ASKER-SHARE OWNER-SHARE -o CONVERSION"},
    step_info{"ask", 2, 2, "secret ask SECRET|PUBLIC KEY [--state FILE] -o MESSAGE"},
    step_info{"answer", 2, 2, "secret answer SECRET|CONVERSION MESSAGE -o REPLY"},
    step_info{"finish", 2, std::size_t{1} << 20, "secret finish MESSAGE FILTER... [--state FILE]",
              false},
};

void declare(command& verb, secret_options& options) {
  std::string names;
  std::string usages;
  for (const step_info& step : steps) {
    names += (names.empty() ? "" : ", ") + std::string(step.name);
    usages += (usages.empty() ? "" : "; ") + std::string(step.usage);
  }
  verb.add_option("step", "STEP", options.step, "what to do: " + names).required();
  verb.add_option("arguments", "ARGUMENT", options.arguments, "what the step needs: " + usages);
  verb.add_option("--kind", "K", options.kind, "new: of filters of this kind");
  verb.add_option("--protocol", "P", options.protocol, "new: of an oblivious filter, rsa or oprf")
      .show_default();
  verb.add_option("--state", "FILE", options.state,
                  "ask and finish of an oblivious filter: where the question is kept meanwhile");
  verb.add_option("-o,--output", "OUT", options.output, "where to write; - is standard output");
  declare_json(verb, options.json);
}

// What a file of a secret or message holds: "a cipher key", or the message's name.
std::string_view content_of(byte_view bytes) {
  return secure::is_stored_secret(bytes) ? secure::name_of(secure::sort_of(bytes))
                                         : wire::message_name(bytes);
}
bool holds(byte_view bytes, secret_sort sort) {
  return content_of(bytes) == secure::name_of(sort);
}
template <class Message>
bool holds(byte_view bytes) {
  return content_of(bytes) == Message::name;
}

// A secret or message, whole.
bits::mapped_file read(const std::string& path) {
  bits::mapped_file file =
      bits::map_file(path == "-" ? "/dev/stdin" : path, wire::message_limits{}.max_bytes);
  try {
    (void)content_of(file.bytes);
  } catch (const error& problem) {
    fail(problem.code(), path + ": " + problem.what());
  }
  return file;
}

void write(const std::string& path, byte_view bytes, bits::readers allowed,
           bits::existing file = bits::existing::replaced) {
  if (path == "-") return print_text(text_of(bytes));
  bits::write_file(path, std::array{bytes}, allowed, file);
}

[[noreturn]] void refuse(const secret_options& options, byte_view found) {
  fail(errc::invalid, "secret " + options.step + ": " + options.arguments.front() + " is " +
                          std::string(content_of(found)));
}

// What a step makes; secrets are for their owner's eyes.
struct product {
  secure::secret_bytes bytes;
  bits::readers allowed = bits::readers::usual;

  static product secret(secure::secret_bytes made) {
    return {std::move(made), bits::readers::owner};
  }
  static product message(const std::vector<std::byte>& made) {
    return {{made.begin(), made.end()}};
  }
};

product make_new(const secret_options& options) {
  if (options.kind == secure_index_filter::kind.name) {
    return product::secret(index_secret::generate().save());
  }
  if (options.kind == encrypted_filter::kind.name) {
    return product::secret(cipher_key::generate().save());
  }
  if (options.kind == oblivious_filter::kind.name) {
    const auto* chosen = std::ranges::find(oblivious_protocol_names, options.protocol);
    if (chosen == oblivious_protocol_names.end()) {
      fail(errc::invalid, "the protocol is '" + options.protocol + "'; allowed: rsa, oprf");
    }
    const auto protocol =
        static_cast<oblivious_protocol>(chosen - oblivious_protocol_names.begin());
    return product::secret(oblivious_secret::generate(protocol).save());
  }
  fail(errc::invalid,
       "--kind is '" + options.kind + "'; allowed: secure-index, encrypted, oblivious");
}

product share(const secret_options& options) {
  const bits::mapped_file key = read(options.arguments[1]);
  const bits::mapped_file pad = read(options.arguments[2]);
  const std::string& role = options.arguments[0];
  if (role != "owner" && role != "asker") {
    fail(errc::invalid, "secret share: '" + role + "' is neither owner nor asker");
  }
  const cipher_key shared = cipher_key::load(pad.bytes);
  cipher_key own = cipher_key::load(key.bytes);
  return product::secret(role == "owner" ? set_owner(std::move(own)).share(shared)
                                         : set_asker(std::move(own)).share(shared));
}

product ask(const secret_options& options) {
  const bits::mapped_file key = read(options.arguments[0]);
  const std::string& text = options.arguments[1];
  if (holds(key.bytes, secret_sort::index_secret)) {
    return product::message(index_owner(index_secret::load(key.bytes)).trapdoor(text, max_hashes));
  }
  if (holds(key.bytes, secret_sort::cipher_key)) {
    return product::message(set_asker(cipher_key::load(key.bytes)).ask(text));
  }
  if (!holds<security::public_key>(key.bytes)) refuse(options, key.bytes);
  if (options.state.empty()) {
    fail(errc::invalid, "secret ask: the question must be kept until the reply; give --state FILE");
  }
  const open_question question = oblivious_client(key.bytes).ask(text);
  write(options.state, question.save(), bits::readers::owner);
  return product::message(question.request());
}

product answer(const secret_options& options) {
  const bits::mapped_file key = read(options.arguments[0]);
  const bits::mapped_file asked = read(options.arguments[1]);
  if (holds<security::conversion>(key.bytes)) {
    return product::message(query_converter::load(key.bytes).convert(asked.bytes));
  }
  if (!holds(key.bytes, secret_sort::oblivious_secret)) refuse(options, key.bytes);
  return product::message(oblivious_server(oblivious_secret::load(key.bytes)).answer(asked.bytes));
}

template <class F, class Clue>
std::vector<std::string> matching(const secret_options& options, const Clue& clue) {
  std::vector<std::string> found;
  for (std::size_t i = 1; i < options.arguments.size(); ++i) {
    if (wire::open_file<F>(options.arguments[i]).may_match(clue)) {
      found.push_back(options.arguments[i]);
    }
  }
  return found;
}

std::vector<std::string> finish(const secret_options& options) {
  const bits::mapped_file clue = read(options.arguments[0]);
  if (holds<security::trapdoor_message>(clue.bytes)) {
    return matching<secure_index_filter>(options, receive_trapdoor(clue.bytes));
  }
  if (holds<security::converted_message>(clue.bytes)) {
    return matching<encrypted_filter>(options, receive_converted(clue.bytes));
  }
  if (!holds<security::signed_reply>(clue.bytes)) refuse(options, clue.bytes);
  if (options.state.empty()) {
    fail(errc::invalid, "secret finish: give the --state FILE that `secret ask` wrote");
  }
  const bits::mapped_file state = read(options.state);
  return matching<oblivious_filter>(options, open_question::load(state.bytes).finish(clue.bytes));
}

product make(const secret_options& options) {
  if (options.step == "new") return make_new(options);
  if (options.step == "share") return share(options);
  if (options.step == "ask") return ask(options);
  if (options.step == "answer") return answer(options);
  const bits::mapped_file first = read(options.arguments[0]);
  if (options.step == "public") {
    return product::message(send(oblivious_secret::load(first.bytes).known()));
  }
  const bits::mapped_file second = read(options.arguments[1]);
  return product::secret(query_converter(first.bytes, second.bytes).save());
}

// Other arguments are words, not files.
void require_outputs_apart(const secret_options& options) {
  std::vector<std::string> inputs = options.arguments;
  if (options.step == "ask") inputs.resize(1);
  if (options.step == "share") inputs.erase(inputs.begin());
  require_no_input(options.output, inputs);
  if (options.step != "ask" || options.state.empty()) return;
  require_no_input(options.state, inputs);
  if (options.state == options.output) {
    fail(errc::invalid, "secret ask: the question and the message need two files, not " +
                            options.state + " for both");
  }
  require_no_input(options.output, {options.state});
}

exit_status run(const secret_options& options) {
  const auto* step = std::ranges::find(steps, std::string_view(options.step), &step_info::name);
  if (step == steps.end()) {
    fail(errc::invalid, "'" + options.step + "' is no step (see bloomery secret --help)");
  }
  const std::size_t given = options.arguments.size();
  if (given < step->least || given > step->most || step->writes == options.output.empty()) {
    fail(errc::invalid, "expected: bloomery " + std::string(step->usage));
  }
  if (!step->writes) {
    const auto found = finish(options);
    if (options.json) {
      print_json({{"asked", given - 1}, {"present", found}});
    } else {
      for (const std::string& name : found) fmt::print("{}\n", name);
    }
    return found.empty() ? exit_status::not_found : exit_status::found;
  }
  require_outputs_apart(options);
  const product made = make(options);
  // Without its secret a filter answers nobody.
  write(options.output, made.bytes, made.allowed,
        options.step == "new" ? bits::existing::kept : bits::existing::replaced);
  if (options.json && options.output != "-") {
    print_json({{"wrote", content_of(made.bytes)}, {"bytes", made.bytes.size()}});
  }
  return exit_status::found;
}

}  // namespace

void add_secret(verb_list& verbs) {
  verbs.add<secret_options>(
      "secret",
      "Make the secret of a guarded filter, and the messages by which parties ask for a key "
      "without "
      "telling it; `finish` prints the filters that may have it",
      "  bloomery secret new --kind secure-index -o owner.key\n"
      "  bloomery secret ask owner.key zebra -o message; bloomery secret finish message *.bloom",
      declare, run);
}

}  // namespace bloomery::cli
