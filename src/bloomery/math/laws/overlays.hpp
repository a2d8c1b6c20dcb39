// Ways through overlays: steps of a look-up on a ring, what a flood reaches, what filters may mislead to.
//
// Purpose:   the figures to which overlays of filters are compared, and what their filters cost.
// Guarantee: exact for what is described beside each.
// Citation:  Stoica et al. 2001 (Chord; half the logarithm of the nodes, on average); Tarkoma §IV-B (Gnutella);
//            Pittel 1987 (a rumour).
//
//     namespace math = bloomery::math;
//     assert(math::ring_steps(2) == 0.5);  // half of what is asked for is one's own
//     assert(std::abs(math::last_hop_share(32, 3) - 0.968) < 0.0005);
#pragma once

#include <cstdint>
#include <span>

namespace bloomery::math {

// From a node to the owner of a key, both any of `nodes`, a power of two, which stand evenly on a ring and know
// those 1, 2, 4, 8 … places on: by the farthest that is before the key, and one step to its owner. With b the
// logarithm, b/2 + 1 - (b + 1)/nodes.
double ring_steps(std::uint64_t nodes);

// Messages of such a look-up: its steps, and the owner's answer unless the owner asks.
double ring_messages(std::uint64_t nodes);

// Nodes that a flood reaches with its last step, of all that it reaches, if every node has so many links and
// no two lead to the same: (l-1)^(t-1) of 1 + (l-1) + … + (l-1)^(t-1).
double last_hop_share(std::uint64_t links, std::uint64_t steps);

// Rounds after which everybody knows what one knew, if whoever knows it tells one other a round, chosen by
// chance: log2 n + ln n, and a number that does not grow.
double push_rounds(std::uint64_t peers);

// The chance that a filter of this rate claims all words of a question of which it holds all but `missing`.
double claims_all(double rate, std::uint64_t missing);

// The chance that a question is passed on by so many messages, each of which is lost with this one.
double all_arrive(double loss, std::uint64_t messages);

// The chance, at most, that some filter claims what it does not hold and leads to where the way is `onward` found with
// this chance: the sum of the products, and no more than 1.
double led_at_most(std::span<const double> rates, std::span<const double> onward);

// The chance that none of so many tries succeeds, each of which takes so many messages.
double none_arrives(double loss, std::uint64_t messages, std::uint64_t tries);

// The mean number of filters that claim what none of them holds.
double expected_claims(std::span<const double> rates);

}  // namespace bloomery::math
