# Shared by ./bloomery, ./test, tools/package and .ci/run: packages and builds. Source it; needs $root.
# shellcheck shell=bash

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 2; }

build_packages=(g++ cmake ninja-build)
# What CMake looks for. It is the judge: apt is asked only for what is missing when it fails.
library_packages=(libxxhash-dev libhighwayhash-dev libssl-dev libcli11-dev libfmt-dev
  nlohmann-json3-dev libhiredis-dev)
test_packages=(ccache clang-format python3 python3-xxhash pkg-config gnuplot-nox wamerican dpkg-dev
  libgtest-dev zlib1g-dev libbloom-dev libsodium-dev man-db zsh fish libleveldb-dev spin hyphen-en-us
  libhyphen0 libsimde-dev iproute2 redis-server python3-redis)
# What experiments, rivals and servers need beyond that: for ./test --full, and CI. Debian makes and starts a
# server of its own with postgresql-15, which nothing here uses.
system_packages=(librocksdb-dev valgrind codespell hunspell-en-us john-data passwdqc pamtester
  postgresql-15 postgresql-server-dev-15 parallel openmpi-bin gearman-job-server gearman-tools
  libns3-dev squid faketime golang-github-dcso-bloom-cli nodejs npm)
fuzz_packages=(clang libclang-rt-14-dev)
# For the tests on 64-bit ARM: what runs here, and what is unpacked for there.
neon_packages=(g++-aarch64-linux-gnu qemu-user)
neon_libraries=("${library_packages[@]}" libhighwayhash0 libssl3 libfmt9 libhiredis0.14 libgtest-dev zlib1g-dev zlib1g
  libsimde-dev)

# By what one sees that a package is there, or the same from elsewhere. Of others dpkg is asked,
# unless they are commands of that name.
declare -A sign=(
  [g++]=command:"${CXX:-c++}" [ninja-build]=command:ninja [clang]=command:clang++
  [gnuplot-nox]=command:gnuplot [dpkg-dev]=command:dpkg-shlibdeps [man-db]=command:man
  [python3]=file:/usr/bin/python3 [python3-xxhash]=module:xxhash
  [wamerican]=file:/usr/share/dict/words [libclang-rt-14-dev]=runtime:fuzzer
  [libxxhash-dev]=header:xxhash.h [libhighwayhash-dev]=header:highwayhash/highwayhash_target.h
  [libssl-dev]=header:openssl/evp.h [libcli11-dev]=header:CLI/CLI.hpp
  [libfmt-dev]=header:fmt/format.h [nlohmann-json3-dev]=header:nlohmann/json.hpp
  [libhiredis-dev]=header:hiredis/hiredis.h
  [libgtest-dev]=header:gtest/gtest.h [zlib1g-dev]=header:zlib.h [libbloom-dev]=header:bloom.h
  [libsodium-dev]=header:sodium.h [libleveldb-dev]=header:leveldb/db.h
  [libsimde-dev]=header:simde/x86/avx512.h [g++-aarch64-linux-gnu]=command:aarch64-linux-gnu-g++
  [qemu-user]=command:qemu-aarch64 [librocksdb-dev]=header:rocksdb/db.h
  [libns3-dev]=header:ns3/core-module.h
  [hyphen-en-us]=file:/usr/share/hyphen/hyph_en_US.dic [libhyphen0]=library:libhyphen.so.0
  [iproute2]=command:ip
  [hunspell-en-us]=file:/usr/share/hunspell/en_US.dic [passwdqc]=command:pwqfilter
  [openmpi-bin]=command:mpirun [gearman-job-server]=command:gearmand
  [gearman-tools]=command:gearman [john-data]=file:/usr/share/john/password.lst
  [npm]=command:npm [nodejs]=command:node [squid]=file:/usr/sbin/squid
  [golang-github-dcso-bloom-cli]=command:bloom [python3-redis]=module:redis
  [postgresql-15]=file:/usr/lib/postgresql/15/bin/postgres
  [postgresql-server-dev-15]=file:/usr/include/postgresql/15/server/postgres.h)

have() {
  local what=${sign[$1]:-package:$1}
  case $what in
    package:*) # a command of that name, or what only dpkg can tell of
      command -v "$1" || [[ $(dpkg-query -W -f '${db:Status-Status}' "$1") == installed ]]
      ;;
    command:*) command -v "${what#*:}" ;;
    file:*) [[ -e ${what#*:} ]] ;;
    header:*)
      "${CXX:-c++}" -E -x c++ - <<<"#if !__has_include(<${what#*:}>)"$'\n#error\n#endif'
      ;;
    library:*) /usr/bin/python3 -c "import ctypes; ctypes.CDLL('${what#*:}')" ;;
    module:*) /usr/bin/python3 -c "import ${what#*:}" ;;
    runtime:*) compgen -G "$(clang++ -print-resource-dir)/lib/*/libclang_rt.${what#*:}*" ;;
  esac &>/dev/null
}

# need PACKAGE… — has apt install those of them that are not there; sets `arrived` if it did.
arrived=
need() {
  local missing=() package as_root=()
  for package in "$@"; do have "$package" || missing+=("$package"); done
  ((${#missing[@]})) || return 0
  local install=(apt-get install -y -q --no-install-recommends "${missing[@]}")
  command -v apt-get >/dev/null ||
    die "what Debian packages as ${missing[*]} is needed, and apt-get is not here to install it"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "please install what is missing as root: ${install[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  # An old list of packages may lack them: refresh it once if the first try fails.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" >&2 ||
    { "${as_root[@]}" apt-get update -q >&2 &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" >&2; } ||
    die "could not install ${missing[*]}"
  arrived=yes
}

# need_on_arm PACKAGE… — unpacks them, as they are for 64-bit ARM, into build/arm64; nothing is installed.
need_on_arm() {
  local place=$root/build/arm64
  [[ -e $place/complete ]] && return
  mkdir -p "$place"/{lists,cache}/partial
  local apt=(apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64
    -o Dir::State::Lists="$place/lists" -o Dir::Cache="$place/cache" -o Dir::State::Status=/dev/null
    -o APT::Sandbox::User= -o Debug::NoLocking=1)
  (
    cd "$place/cache" || exit
    "${apt[@]}" update >&2 && "${apt[@]}" download "$@" >&2 || exit
    for package in *.deb; do dpkg-deb -x "$package" "$place" || exit; done
  ) || die "could not get what is needed for ARM"
  touch "$place/complete"
}

# need_redis_header — build/redis/redismodule.h, which modules of a Redis server include and which Debian has
# in the server's source package only: from where this machine has its packages. Nothing is installed.
need_redis_header() {
  local place=$root/build/redis file
  [[ -e $place/redismodule.h ]] && return
  mkdir -p "$place"/{lists,cache,sources}/partial
  local apt=(apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$place/sources"
    -o Dir::State::Lists="$place/lists" -o Dir::Cache="$place/cache" -o APT::Sandbox::User=
    -o Debug::NoLocking=1)
  (
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
      [[ -e $file ]] || continue
      sed 's/^deb /deb-src /; s/^\(Types:\).*/\1 deb-src/' "$file" >"$place/sources/${file##*/}"
    done
    cd "$place/cache" || exit
    "${apt[@]}" update >&2 || true  # not every place has sources
    "${apt[@]}" source --download-only redis >&2 || exit
    tar -xOf redis_*.orig.tar.* --wildcards '*/src/redismodule.h' >"$place/redismodule.h.new" &&
      mv "$place/redismodule.h.new" "$place/redismodule.h"
  ) || die "could not get redismodule.h of the source package redis"
}

# configure PRESET — with what is installed or, if that does not do, with what apt has.
configure() {
  local options=() log
  need "${build_packages[@]}"
  have ccache || options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=)
  log=$(cd "$root" && cmake --fresh --preset "$1" "${options[@]}" 2>&1) && return
  need "${library_packages[@]}"
  log=$(cd "$root" && cmake --fresh --preset "$1" "${options[@]}" 2>&1) ||
    die "configuring failed:"$'\n'"$log"
}

# build PRESET [TARGET] — configures if needed, then builds what changed. Quiet when nothing did.
# One at a time per build directory: `./bloomery … | ./bloomery …` must not build twice at once.
build() {
  local directory=$root/build/$1 log first=
  mkdir -p "$directory"
  exec {lock}>"$directory/.lock"
  flock "$lock"
  if [[ ! -e $directory/build.ninja ]]; then
    first=yes
    say "building into ${directory#"$root"/} for the first time; this takes a few minutes"
    configure "$1"
  fi
  if [[ $first && -t 2 ]]; then
    ninja -C "$directory" "${@:2}" >&2 || die "the build failed"
  else
    log=$(ninja -C "$directory" --quiet "${@:2}" 2>&1) || die "the build failed:"$'\n'"$log"
  fi
  exec {lock}>&-
}
