// A batch, step by step; a step is as many keys as a kernel takes at once. Included by kernels, once per
// back end, within its namespace: see each_backend.inl.
//
// Work says what a step is. All of its functions are BLOOMERY_TARGET and always inlined:
//   slot                what is noted of a step, best kept in registers
//   locate(step)        hashes its keys and works out where they lie
//   fetch(slot)         asks for those lines
//   act(step, slot)     does what was asked for there

// For what is in the cache: nothing is asked for, and nothing noted in memory. Steps take so long to locate that the
// processor does not see the next one: two are located before either is acted on.
template <class Work>
BLOOMERY_TARGET [[gnu::always_inline]] inline void in_twos(std::size_t steps, Work& work) {
  std::size_t step = 0;
  for (; step + 2 <= steps; step += 2) {
    const typename Work::slot one = work.locate(step);
    const typename Work::slot two = work.locate(step + 1);
    work.act(step, one);
    work.act(step + 1, two);
  }
  if (step < steps) work.act(step, work.locate(step));
}

// For what is not: a step's lines are asked for `ahead` steps before they are used.
template <std::size_t ahead, class Work>
BLOOMERY_TARGET [[gnu::always_inline]] inline void in_ring(std::size_t steps, Work& work) {
  typename Work::slot ring[ahead];
  std::size_t located = 0;
  for (; located < std::min(ahead, steps); ++located) {
    ring[located] = work.locate(located);
    work.fetch(ring[located]);
  }
  std::size_t acted = 0;
  for (; located < steps; ++located, ++acted) {
    typename Work::slot& place = ring[acted % ahead];
    work.act(acted, place);
    place = work.locate(located);
    work.fetch(place);
  }
  for (; acted < steps; ++acted) work.act(acted, ring[acted % ahead]);
}

// The same for work that does both at a time: turn(step, slot, next, latest) acts on the step of the slot, puts the
// next one there, and asks for the lines of `latest`. Locate(step, slot) fills a slot.
template <std::size_t ahead, class Work>
BLOOMERY_TARGET [[gnu::always_inline]] inline void in_woven_ring(std::size_t steps, Work& work) {
  typename Work::slot ring[ahead];
  std::size_t located = 0;
  for (; located < std::min(ahead, steps); ++located) {
    work.locate(located, ring[located]);
    work.fetch(ring[located]);
  }
  std::size_t acted = 0;
  for (; located < steps; ++located, ++acted) {
    work.turn(acted, ring[acted % ahead], located, ring[(acted + ahead - 1) % ahead]);
  }
  for (; acted < steps; ++acted) work.act(acted, ring[acted % ahead]);
}
