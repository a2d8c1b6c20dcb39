// Every kind that needs no cryptography, one line each. Tests, fuzzers, benchmarks, the tool and its
// help follow. any/secure_kinds.hpp has the others.
#pragma once

#include "bloomery/filters/changing/blocked_counting.hpp"
#include "bloomery/filters/changing/counting.hpp"
#include "bloomery/filters/changing/cuckoo.hpp"
#include "bloomery/filters/changing/deletable.hpp"
#include "bloomery/filters/changing/dleft.hpp"
#include "bloomery/filters/changing/dleft_dynamic.hpp"
#include "bloomery/filters/changing/multilayer_counting.hpp"
#include "bloomery/filters/changing/sorted_cuckoo.hpp"
#include "bloomery/filters/changing/succinct_counting.hpp"
#include "bloomery/filters/changing/two_filter.hpp"
#include "bloomery/filters/frequency/adaptive.hpp"
#include "bloomery/filters/frequency/count_min.hpp"
#include "bloomery/filters/frequency/counter_braids.hpp"
#include "bloomery/filters/frequency/space_code.hpp"
#include "bloomery/filters/frequency/spectral.hpp"
#include "bloomery/filters/growing/dynamic.hpp"
#include "bloomery/filters/growing/scalable.hpp"
#include "bloomery/filters/growing/split.hpp"
#include "bloomery/filters/map/bank.hpp"
#include "bloomery/filters/map/bloomier.hpp"
#include "bloomery/filters/map/bloomier_cascade.hpp"
#include "bloomery/filters/map/bloomier_mutable.hpp"
#include "bloomery/filters/map/coded_bank.hpp"
#include "bloomery/filters/map/fuse.hpp"
#include "bloomery/filters/map/perfect.hpp"
#include "bloomery/filters/map/ribbon.hpp"
#include "bloomery/filters/map/state_machine.hpp"
#include "bloomery/filters/routing/attenuated.hpp"
#include "bloomery/filters/routing/exponential_decay.hpp"
#include "bloomery/filters/set/banked.hpp"
#include "bloomery/filters/set/best_of_n.hpp"
#include "bloomery/filters/set/blocked.hpp"
#include "bloomery/filters/set/generalized.hpp"
#include "bloomery/filters/set/golomb.hpp"
#include "bloomery/filters/set/hash_choice.hpp"
#include "bloomery/filters/set/memory_optimised.hpp"
#include "bloomery/filters/set/multi_blocked.hpp"
#include "bloomery/filters/set/partitioned.hpp"
#include "bloomery/filters/set/retouched.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/filters/set/two_choice.hpp"
#include "bloomery/filters/text/distance_sensitive.hpp"
#include "bloomery/filters/text/hierarchical.hpp"
#include "bloomery/filters/weighted/popularity.hpp"
#include "bloomery/filters/weighted/weighted.hpp"
#include "bloomery/filters/window/age_partitioned.hpp"
#include "bloomery/filters/window/block_decaying.hpp"
#include "bloomery/filters/window/decaying.hpp"
#include "bloomery/filters/window/double_buffered.hpp"
#include "bloomery/filters/window/sliding_count.hpp"
#include "bloomery/filters/window/stable.hpp"
#include "bloomery/filters/window/time_decaying.hpp"
#include "bloomery/filters/window/variable_signature.hpp"

namespace bloomery {

template <class... Kinds>
struct kind_list {};

// In the order in which `bloomery kinds` and the figures show them.
using all_kinds = kind_list<     //
    standard_filter,             //
    partitioned_filter,          //
    blocked_filter,              //
    multi_blocked_filter,        //
    fuse_filter,                 //
    ribbon_filter,               //
    golomb_filter,               //
    two_choice_filter,           //
    banked_filter,               //
    memory_optimised_filter,     //
    best_of_n_filter,            //
    hash_choice_filter,          //
    retouched_filter,            //
    generalized_filter,          //
    counting_filter,             //
    blocked_counting_filter,     //
    multilayer_counting_filter,  //
    succinct_counting_filter,    //
    dleft_filter,                //
    dleft_dynamic_filter,        //
    cuckoo_filter,               //
    sorted_cuckoo_filter,        //
    deletable_filter,            //
    two_filter_filter,           //
    spectral_filter,             //
    count_min_filter,            //
    adaptive_filter,             //
    space_code_filter,           //
    counter_braids_filter,       //
    scalable_filter,             //
    dynamic_filter,              //
    split_filter,                //
    decaying_filter,             //
    block_decaying_filter,       //
    time_decaying_filter,        //
    stable_filter,               //
    double_buffered_filter,      //
    variable_signature_filter,   //
    age_partitioned_filter,      //
    sliding_count_filter,        //
    bloomier_filter,             //
    bloomier_cascade_filter,     //
    bloomier_mutable_filter,     //
    perfect_filter,              //
    bank_filter,                 //
    coded_bank_filter,           //
    state_machine_filter,        //
    weighted_filter,             //
    popularity_filter,           //
    hierarchical_filter,         //
    attenuated_filter,           //
    exponential_decay_filter,    //
    distance_sensitive_filter>;

}  // namespace bloomery
