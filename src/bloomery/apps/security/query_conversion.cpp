#include "bloomery/apps/security/query_conversion.hpp"

#include <string>

#include "bloomery/core/error.hpp"

namespace bloomery {
namespace {

using secure::number;
using secure::secret_bytes;

template <class Message>
number exponent_in(const Message& message) {
  number k(message.number);
  if (!secure::is_exponent(k)) {
    fail(errc::corrupt,
         "the message " + std::string(Message::name) + " holds no exponent prime to p - 1");
  }
  return k;
}

}  // namespace

// Who has the pad reads the key from a share.
secret_bytes set_owner::share(const cipher_key& pad) const {
  const secret_bytes number = key_.times(pad.inverse()).bytes();
  return wire::write<secret_bytes>(
      security::owner_share{number, key_.identity().tag, pad.identity().tag});
}

secret_bytes set_asker::share(const cipher_key& pad) const {
  const secret_bytes number = pad.times(key_.inverse()).bytes();
  return wire::write<secret_bytes>(
      security::asker_share{number, key_.identity().tag, pad.identity().tag});
}

std::vector<std::byte> set_asker::ask(std::string_view word) const {
  const secret_bytes number = key_.encrypt(word).bytes();
  return wire::write(security::cipher_query{number, key_.identity().tag});
}

query_converter::query_converter(byte_view asker_share, byte_view owner_share) {
  const auto asker = wire::read<security::asker_share>(asker_share);
  const auto owner = wire::read<security::owner_share>(owner_share);
  const number of_asker = exponent_in(asker);
  const number of_owner = exponent_in(owner);
  if (asker.pad != owner.pad) {
    fail(errc::incompatible, "the pad of the asker's share is not that of the owner's");
  }
  *this = {secure::exponents().product(of_asker, of_owner), asker.asker, owner.owner};
  if (!secure::is_exponent(ratio_)) fail(errc::invalid, "asker and owner have the same key");
}

query_converter query_converter::load(byte_view stored) {
  const auto kept = wire::read<security::conversion>(stored);
  return {exponent_in(kept), kept.asker, kept.owner};
}

secret_bytes query_converter::save() const {
  const secret_bytes number = ratio_.bytes();
  return wire::write<secret_bytes>(security::conversion{number, asker_, owner_});
}

std::vector<std::byte> query_converter::convert(byte_view query) const {
  const auto asked = wire::read<security::cipher_query>(query);
  const number x(asked.number);
  if (!secure::is_residue(x)) {
    fail(errc::corrupt, "the message encrypted/query holds no quadratic residue");
  }
  if (asked.asker != asker_) {
    fail(errc::incompatible, "the query is not under the key of the asker that this is for");
  }
  const secret_bytes number = secure::safe_prime().power(x, ratio_).bytes();
  return wire::write(security::converted_message{number, owner_});
}

std::vector<std::byte> query_converter::convert(byte_view query,
                                                const encrypted_filter& permitted) const {
  std::vector<std::byte> converted = convert(query);
  if (!permitted.may_match(receive_converted(converted))) {
    fail(errc::unsupported, "the query is for none of the words that the owner permits");
  }
  return converted;
}

converted_query receive_converted(byte_view received) {
  const auto message = wire::read<security::converted_message>(received);
  return {number(message.number), {hash_id::guarded, message.owner}};
}

}  // namespace bloomery
