// copy: a filter from where it is kept to another place, files and servers alike.
#include <optional>
#include <string>

#include "bloomery/hash/key.hpp"
#include "bloomery/wire/foreign/redis_value.hpp"
#include "build.hpp"
#include "changed_file.hpp"
#include "location.hpp"
#include "options.hpp"
#include "redis_filter.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct copy_options {
  std::string from;
  std::string to;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, copy_options& options) {
  verb.add_option("from", "FILTER", options.from, "the filter to copy").required();
  verb.add_option("to", "TO", options.to, "where to; - is standard output").required();
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

// A value of another module, which only a server that has its type can take, or a file if there is a format.
exit_status copy_dumped(redis_filter& from, changed_file& to, const copy_options& options) {
  const std::string payload = from.dump(reading().limits());
  const auto value = foreign::read_redis_dump(bytes_of(payload), reading().limits());
  if (redis_filter* const server = to.in_server()) {
    server->restore(payload, from.time_to_live());
  } else if (from.foreign_format() == nullptr) {
    fail(errc::unsupported, from.name() + ": a value of the type " + value.type +
                                " can be copied to a server, and is in no form for a file");
  } else {
    (void)foreign::read(bytes_of(payload), reading().limits());  // is it sound?
    to.save(byte_view(foreign::save(value, foreign::restored_everywhere)));
  }
  if (options.json) {
    print_json({{"type", value.type}, {"encoding", value.version}, {"bytes", payload.size()}});
  }
  return exit_status::found;
}

// A file of another program, as it is.
exit_status copy_foreign(const foreign::filter& filter, changed_file& to,
                         const copy_options& options) {
  const std::vector<std::byte> bytes = filter.save();
  to.save(byte_view(bytes));
  if (options.json) print_json(foreign_json(filter, bytes.size()));
  return exit_status::found;
}

exit_status run(const copy_options& options) {
  const location from(options.from);
  changed_file to(options.to, options.lock, {options.from});
  std::optional<std::uint64_t> expires;
  if (from.in_server()) {
    const auto held = from.of_server();
    if (!held->native()) return copy_dumped(*held, to, options);
    expires = held->time_to_live();
  } else if (const auto theirs = from.load_foreign()) {
    return copy_foreign(*theirs, to, options);
  }
  const any_filter filter = from.load();
  if (to.in_server() != nullptr && expires) {
    to.in_server()->save(filter, expires);
  } else {
    to.save(filter);
  }
  if (options.json) print_json(filter_json(filter));
  return exit_status::found;
}

}  // namespace

void add_copy(verb_list& verbs) {
  verbs.add<copy_options>(
      "copy",
      "Copy a filter between files and Redis servers\n"
      "A place in a server is redis://HOST:PORT/KEY or unix:///PATH/OF/SOCKET/KEY, as every FILTER "
      "may be; the server needs the module bloomery.so. From one server to another, values of the "
      "types behind BF, CF, CMS and TOPK are copied as well, even if the server that has them is "
      "too new for the other to restore what it dumps. A key that expires does so in both. Of "
      "BF and CF there are files as well (the formats redis-bloom and redis-cuckoo).",
      "  seq 1000 | bloomery build --keys 1k -o numbers.bloom\n"
      "  bloomery copy numbers.bloom backup.bloom && bloomery query backup.bloom 7\n"
      "  bloomery copy backup.bloom - | bloomery info -",
      declare, run);
}

}  // namespace bloomery::cli
