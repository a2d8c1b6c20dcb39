// secret: keys of guarded filters, and the messages by which parties ask without telling.
#include <fmt/format.h>

#include <algorithm>

#include "bloomery/apps/security/index_search.hpp"
#include "bloomery/apps/security/oblivious_query.hpp"
#include "bloomery/apps/security/query_conversion.hpp"
#include "bloomery/bits/memory/file_writer.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "bloomery/wire/message.hpp"
#include "changed_file.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "secret_file.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

using secure::secret_sort;

struct secret_options {
  std::string kind;
  std::string protocol = "rsa";
  std::string role;
  std::string first;   // the secret, share or message that the step is about
  std::string second;  // the one that goes with it
  std::string word;
  std::string word_file;
  std::vector<std::string> filters;
  std::string state;
  std::string permitted;
  std::string output;
  bool json = false;
};

void declare_made(command& verb, secret_options& options, const std::string& what) {
  declare_output(verb, options.output, what);
  declare_json(verb, options.json);
}

void declare_new(command& verb, secret_options& options) {
  verb.add_option("--kind", "secure-index|encrypted|oblivious", options.kind,
                  "the kind of the filters that it is for")
      .required();
  verb.add_option("--protocol", "rsa|oprf", options.protocol, "of an oblivious filter")
      .show_default();
  declare_made(verb, options, "the secret");
}

void declare_public(command& verb, secret_options& options) {
  verb.add_option("secret", "SECRET", options.first, "the secret of an oblivious filter")
      .required();
  declare_made(verb, options, "its public half");
}

void declare_share(command& verb, secret_options& options) {
  verb.add_option("role", "owner|asker", options.role, "whose share it is").required();
  verb.add_option("secret", "SECRET", options.first, "the key of the one who shares").required();
  verb.add_option("pad", "PAD", options.second,
                  "a key that owner and asker have in common, and the third party has not")
      .required();
  declare_made(verb, options, "the share");
}

void declare_pair(command& verb, secret_options& options) {
  verb.add_option("asker", "ASKER-SHARE", options.first, "the share of the asker").required();
  verb.add_option("owner", "OWNER-SHARE", options.second, "the share of the owner").required();
  declare_made(verb, options, "the conversion");
}

void declare_ask(command& verb, secret_options& options) {
  verb.add_option("secret", "SECRET", options.first,
                  "the asker's secret, or the server's public half")
      .required();
  const option word = verb.add_option(
      "word", "WORD", options.word,
      "what to ask for; others on this machine may see it in the list of processes (default: the "
      "terminal, where it is not shown, or a line of standard input)");
  verb.add_option("--word-file", "FILE", options.word_file,
                  "what to ask for is the first line of this file; - is standard input")
      .excludes(word);
  verb.add_option("--state", "FILE", options.state,
                  "of an oblivious filter: where the question is kept until the reply comes");
  declare_made(verb, options, "the message");
}

void declare_answer(command& verb, secret_options& options) {
  verb.add_option("secret", "SECRET", options.first, "the server's secret, or the conversion")
      .required();
  verb.add_option("message", "MESSAGE", options.second, "what `secret ask` wrote").required();
  verb.add_option(
      "--permitted", "FILTER", options.permitted,
      "of a conversion: answer only for the words in this encrypted filter of the owner's");
  declare_made(verb, options, "the reply");
}

void declare_finish(command& verb, secret_options& options) {
  verb.add_option("message", "MESSAGE", options.first, "the trapdoor, or the reply").required();
  verb.add_option("filters", "FILTER", options.filters, "the filters to look into").required();
  verb.add_option("--state", "FILE", options.state,
                  "of an oblivious filter: what `secret ask` kept");
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
secure::secret_bytes read(const std::string& path) {
  secure::secret_bytes bytes = read_secret(path, wire::message_limits{}.max_bytes);
  with_names({path}, [&] { (void)content_of(bytes); });
  return bytes;
}

// The word that is asked for, and nothing of the line's end.
secure::secret_bytes word_of(const secret_options& options) {
  if (!options.word.empty()) {
    const byte_view bytes = bytes_of(options.word);
    return {bytes.begin(), bytes.end()};
  }
  constexpr std::uint64_t longest = 64 << 10;
  if (options.word_file.empty()) {
    if (options.first == "-") {
      fail(errc::invalid,
           "the secret comes from standard input, so the word cannot; give --word-file");
    }
    return read_secret_line("What to ask for: ");
  }
  secure::secret_bytes word = read_secret(options.word_file, longest);
  word.erase(std::ranges::find(word, std::byte{'\n'}), word.end());
  if (word.empty()) fail(errc::invalid, options.word_file + ": its first line is empty");
  return word;
}

void write(const std::string& path, byte_view bytes, bits::readers allowed,
           bits::existing file = bits::existing::replaced) {
  if (path == "-") return print_text(text_of(bytes));
  bits::write_file(path, std::array{bytes}, allowed, file);
}

[[noreturn]] void refuse(const char* step, const secret_options& options, byte_view found) {
  fail(errc::invalid, fmt::format("secret {}: {} is {}", step, options.first, content_of(found)));
}

// What a step makes; secrets are for their owner's eyes.
struct product {
  secure::secret_bytes bytes;
  bits::readers allowed = bits::readers::usual;

  static product secret(secure::secret_bytes made) {
    return {std::move(made), bits::readers::owner};
  }
  // Who has it can ask the filters, as long as the key is in use.
  static product clue(const std::vector<std::byte>& made) {
    return {{made.begin(), made.end()}, bits::readers::owner};
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
      fail(errc::invalid,
           "the protocol is " + in_quotes(options.protocol) + "; allowed: rsa, oprf");
    }
    const auto protocol =
        static_cast<oblivious_protocol>(chosen - oblivious_protocol_names.begin());
    return product::secret(oblivious_secret::generate(protocol).save());
  }
  fail(errc::invalid,
       "--kind is " + in_quotes(options.kind) + "; allowed: secure-index, encrypted, oblivious");
}

product make_public(const secret_options& options) {
  return product::message(send(oblivious_secret::load(read(options.first)).known()));
}

product make_share(const secret_options& options) {
  if (options.role != "owner" && options.role != "asker") {
    fail(errc::invalid, "secret share: " + in_quotes(options.role) + " is neither owner nor asker");
  }
  cipher_key own = cipher_key::load(read(options.first));
  const cipher_key shared = cipher_key::load(read(options.second));
  return product::secret(options.role == "owner" ? set_owner(std::move(own)).share(shared)
                                                 : set_asker(std::move(own)).share(shared));
}

product make_pair(const secret_options& options) {
  return product::secret(query_converter(read(options.first), read(options.second)).save());
}

product make_question(const secret_options& options) {
  const secure::secret_bytes key = read(options.first);
  const secure::secret_bytes word = word_of(options);
  const std::string_view text = text_of(word);
  if (holds(key, secret_sort::index_secret)) {
    return product::clue(index_owner(index_secret::load(key)).trapdoor(text, max_hashes));
  }
  if (holds(key, secret_sort::cipher_key)) {
    return product::clue(set_asker(cipher_key::load(key)).ask(text));
  }
  if (!holds<security::public_key>(key)) refuse("ask", options, key);
  if (options.state.empty()) {
    fail(errc::invalid, "secret ask: the question must be kept until the reply; give --state FILE");
  }
  const open_question question = oblivious_client(key).ask(text);
  write(options.state, question.save(), bits::readers::owner);
  return product::message(question.request());
}

product make_answer(const secret_options& options) {
  const secure::secret_bytes key = read(options.first);
  const secure::secret_bytes asked = read(options.second);
  if (holds<security::conversion>(key)) {
    const query_converter third = query_converter::load(key);
    if (options.permitted.empty()) return product::clue(third.convert(asked));
    return product::clue(third.convert(
        asked, wire::load_file<encrypted_filter>(options.permitted, reading().limits())));
  }
  if (!options.permitted.empty()) {
    fail(errc::invalid, "--permitted is for a conversion, and " + options.first + " is none");
  }
  if (!holds(key, secret_sort::oblivious_secret)) refuse("answer", options, key);
  return product::message(oblivious_server(oblivious_secret::load(key)).answer(asked));
}

template <class F, class Clue>
std::vector<std::string> matching(const secret_options& options, const Clue& clue) {
  std::vector<std::string> found;
  for (const std::string& path : options.filters) {
    if (with_names({path},
                   [&] { return wire::load_file<F>(path, reading().limits()).may_match(clue); })) {
      found.push_back(path);
    }
  }
  return found;
}

std::vector<std::string> found_in(const secret_options& options) {
  const secure::secret_bytes clue = read(options.first);
  if (holds<security::trapdoor_message>(clue)) {
    return matching<secure_index_filter>(options, receive_trapdoor(clue));
  }
  if (holds<security::converted_message>(clue)) {
    return matching<encrypted_filter>(options, receive_converted(clue));
  }
  if (!holds<security::signed_reply>(clue)) refuse("finish", options, clue);
  if (options.state.empty()) {
    fail(errc::invalid, "secret finish: give the --state FILE that `secret ask` wrote");
  }
  return matching<oblivious_filter>(options, open_question::load(read(options.state)).finish(clue));
}

exit_status finish(const secret_options& options) {
  const std::vector<std::string> found = found_in(options);
  if (options.json) {
    print_json({{"asked", options.filters.size()}, {"present", found}});
  } else {
    for (const std::string& name : found) fmt::print("{}\n", name);
  }
  return found.empty() ? exit_status::not_found : exit_status::found;
}

void require_outputs_apart(const secret_options& options) {
  const std::vector<std::string> inputs{options.first, options.second, options.word_file,
                                        options.permitted};
  require_no_input(options.output, inputs);
  if (options.state.empty()) return;
  require_no_input(options.state, inputs);
  if (options.state == options.output) {
    fail(errc::invalid, "secret ask: the question and the message need two files, not " +
                            options.state + " for both");
  }
  require_no_input(options.output, {options.state});
}

template <product (*Make)(const secret_options&)>
exit_status run(const secret_options& options) {
  require_outputs_apart(options);
  const product made = Make(options);
  // Without its secret a filter answers nobody.
  const bool keep = Make == make_new;
  write(options.output, made.bytes, made.allowed,
        keep ? bits::existing::kept : bits::existing::replaced);
  if (options.json && options.output != "-") {
    print_json({{"wrote", content_of(made.bytes)}, {"bytes", made.bytes.size()}});
  }
  return exit_status::found;
}

}  // namespace

void add_secret(verb_list& verbs) {
  verbs.group("secret", "Ask filters without telling them what is asked, or whose keys they hold",
              "Filters of three kinds answer only under a secret: build them with --key-file. "
              "secure-index: "
              "the owner of documents leaves their indexes with a server, and makes a trapdoor for "
              "each word "
              "to be looked for (new, ask, finish). encrypted: the owner of a set and somebody who "
              "asks each "
              "have a key, and a third party converts questions without reading them (new, share, "
              "pair, ask, "
              "answer, finish). oblivious: a client asks a server that learns nothing of the "
              "question (new, "
              "public, ask, answer, finish). `docs/threat-model.md` says what each of them "
              "protects from whom.");
  verbs.add<secret_options>(
      "secret new", "Make a new secret; an existing file is never replaced",
      "  bloomery secret new --kind secure-index -o archive.key && ls -l archive.key\n"
      "  bloomery secret new --kind oblivious --protocol oprf -o shop.key --json",
      declare_new, run<make_new>);
  verbs.add<secret_options>("secret public",
                            "Write the public half of an oblivious filter's secret",
                            "  bloomery secret new --kind oblivious -o seller.key\n"
                            "  bloomery secret public seller.key -o seller.public --json",
                            declare_public, run<make_public>);
  verbs.add<secret_options>(
      "secret share", "Write what owner or asker gives the third party",
      "  for name in alice bob pad; do\n"
      "    bloomery secret new --kind encrypted -o $name.key; done\n"
      "  bloomery secret share owner alice.key pad.key -o alice.share --json\n"
      "  bloomery secret share asker bob.key pad.key -o bob.share --json",
      declare_share, run<make_share>);
  verbs.add<secret_options>(
      "secret pair", "Make of two shares what converts the asker's questions",
      "  for name in owner asker common; do\n"
      "    bloomery secret new --kind encrypted -o $name.key; done\n"
      "  for name in owner asker; do\n"
      "    bloomery secret share $name $name.key common.key -o $name.share; done\n"
      "  bloomery secret pair asker.share owner.share -o conversion --json",
      declare_pair, run<make_pair>);
  verbs.add<secret_options>(
      "secret ask",
      "Write the message that asks for a word\n"
      "The word need not stand on the command line, where others may see it. Only you may read the "
      "file that is written, unless it tells nobody anything, as that for an oblivious filter.",
      "  bloomery secret new --kind secure-index -o my.key\n"
      "  printf '%s\\n' tiger zebra | \\\n"
      "    bloomery build --kind secure-index --key-file my.key -o animals.index\n"
      "  echo zebra | bloomery secret ask my.key -o zebra.trapdoor\n"
      "  bloomery secret finish zebra.trapdoor animals.index",
      declare_ask, run<make_question>);
  verbs.add<secret_options>(
      "secret answer", "Answer a message with the server's secret, or convert it",
      "  bloomery secret new --kind oblivious --protocol oprf -o server.key\n"
      "  bloomery secret public server.key -o server.public\n"
      "  echo zebra | bloomery secret ask server.public --state question -o request\n"
      "  bloomery secret answer server.key request -o reply --json",
      declare_answer, run<make_answer>);
  verbs.add<secret_options>(
      "secret finish", "Print the filters that may hold what was asked for",
      "  bloomery secret new --kind oblivious --protocol oprf -o lender.key\n"
      "  bloomery secret public lender.key -o lender.public\n"
      "  printf '%s\\n' Moriarty Moran | \\\n"
      "    bloomery build --kind oblivious --key-file lender.key -o bad-debtors.bloom\n"
      "  echo Moran | bloomery secret ask lender.public --state kept -o asked\n"
      "  bloomery secret answer lender.key asked -o answered\n"
      "  bloomery secret finish answered bad-debtors.bloom --state kept",
      declare_finish, finish);
}

}  // namespace bloomery::cli
