// Every kind there is, one line each. Tests, fuzzers, benchmarks, the tool and its help follow.
#pragma once

#include "bloomery/filters/composite/attenuated.hpp"
#include "bloomery/filters/composite/distance_sensitive.hpp"
#include "bloomery/filters/composite/exponential_decay.hpp"
#include "bloomery/filters/composite/hierarchical.hpp"
#include "bloomery/filters/composite/popularity.hpp"
#include "bloomery/filters/composite/weighted.hpp"
#include "bloomery/filters/function/bank.hpp"
#include "bloomery/filters/function/bloomier.hpp"
#include "bloomery/filters/function/bloomier_cascade.hpp"
#include "bloomery/filters/function/bloomier_mutable.hpp"
#include "bloomery/filters/function/coded_bank.hpp"
#include "bloomery/filters/function/perfect.hpp"
#include "bloomery/filters/function/state_machine.hpp"
#include "bloomery/filters/growing/dynamic.hpp"
#include "bloomery/filters/growing/scalable.hpp"
#include "bloomery/filters/growing/split.hpp"
#include "bloomery/filters/multiset/adaptive.hpp"
#include "bloomery/filters/multiset/blocked_counting.hpp"
#include "bloomery/filters/multiset/count_min.hpp"
#include "bloomery/filters/multiset/counter_braids.hpp"
#include "bloomery/filters/multiset/counting.hpp"
#include "bloomery/filters/multiset/cuckoo.hpp"
#include "bloomery/filters/multiset/deletable.hpp"
#include "bloomery/filters/multiset/dleft.hpp"
#include "bloomery/filters/multiset/dleft_dynamic.hpp"
#include "bloomery/filters/multiset/multilayer_counting.hpp"
#include "bloomery/filters/multiset/space_code.hpp"
#include "bloomery/filters/multiset/spectral.hpp"
#include "bloomery/filters/multiset/two_filter.hpp"
#include "bloomery/filters/secure/encrypted.hpp"
#include "bloomery/filters/secure/oblivious.hpp"
#include "bloomery/filters/secure/secure_index.hpp"
#include "bloomery/filters/set/banked.hpp"
#include "bloomery/filters/set/best_of_n.hpp"
#include "bloomery/filters/set/blocked.hpp"
#include "bloomery/filters/set/fuse.hpp"
#include "bloomery/filters/set/generalized.hpp"
#include "bloomery/filters/set/golomb.hpp"
#include "bloomery/filters/set/hash_choice.hpp"
#include "bloomery/filters/set/memory_optimised.hpp"
#include "bloomery/filters/set/partitioned.hpp"
#include "bloomery/filters/set/retouched.hpp"
#include "bloomery/filters/set/ribbon.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/filters/set/two_choice.hpp"
#include "bloomery/filters/window/age_partitioned.hpp"
#include "bloomery/filters/window/block_decaying.hpp"
#include "bloomery/filters/window/decaying.hpp"
#include "bloomery/filters/window/double_buffered.hpp"
#include "bloomery/filters/window/stable.hpp"
#include "bloomery/filters/window/time_decaying.hpp"
#include "bloomery/filters/window/variable_signature.hpp"

namespace bloomery {

template <class... Kinds>
struct kind_list {};

template <class... Lists>
struct joined_lists;
template <class... Kinds>
struct joined_lists<kind_list<Kinds...>> {
  using type = kind_list<Kinds...>;
};
template <class... First, class... Second, class... Others>
struct joined_lists<kind_list<First...>, kind_list<Second...>, Others...>
    : joined_lists<kind_list<First..., Second...>, Others...> {};

// A list a folder; the conformance tests of each are compiled apart.
using set_kinds = kind_list<  //
    standard_filter,          //
    partitioned_filter,       //
    blocked_filter,           //
    fuse_filter,              //
    ribbon_filter,            //
    golomb_filter,            //
    two_choice_filter,        //
    banked_filter,            //
    memory_optimised_filter,  //
    best_of_n_filter,         //
    hash_choice_filter,       //
    retouched_filter,         //
    generalized_filter>;

using multiset_kinds = kind_list<  //
    counting_filter,               //
    blocked_counting_filter,       //
    multilayer_counting_filter,    //
    dleft_filter,                  //
    dleft_dynamic_filter,          //
    cuckoo_filter,                 //
    deletable_filter,              //
    two_filter_filter,             //
    spectral_filter,               //
    count_min_filter,              //
    adaptive_filter,               //
    space_code_filter,             //
    counter_braids_filter>;

using growing_kinds = kind_list<  //
    scalable_filter,              //
    dynamic_filter,               //
    split_filter>;

using window_kinds = kind_list<  //
    decaying_filter,             //
    block_decaying_filter,       //
    time_decaying_filter,        //
    stable_filter,               //
    double_buffered_filter,      //
    variable_signature_filter,   //
    age_partitioned_filter>;

using function_kinds = kind_list<  //
    bloomier_filter,               //
    bloomier_cascade_filter,       //
    bloomier_mutable_filter,       //
    perfect_filter,                //
    bank_filter,                   //
    coded_bank_filter,             //
    state_machine_filter>;

using composite_kinds = kind_list<  //
    weighted_filter,                //
    popularity_filter,              //
    hierarchical_filter,            //
    attenuated_filter,              //
    exponential_decay_filter,       //
    distance_sensitive_filter>;

using secure_kinds = kind_list<  //
    secure_index_filter,         //
    encrypted_filter,            //
    oblivious_filter>;

using all_kinds = joined_lists<set_kinds, multiset_kinds, growing_kinds, window_kinds,
                               function_kinds, composite_kinds, secure_kinds>::type;

}  // namespace bloomery
