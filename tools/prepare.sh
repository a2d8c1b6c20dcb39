# Shared by ./bloomery and ./test: Debian packages and builds. Source it; needs $root.
# shellcheck shell=bash

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 2; }

tool_packages=(g++ cmake ninja-build ccache libxxhash-dev libhighwayhash-dev libssl-dev
  libcli11-dev libfmt-dev nlohmann-json3-dev gnuplot-nox wamerican)
test_packages=(clang-format libgtest-dev zlib1g-dev python3 python3-xxhash pkg-config libbloom-dev
  libsodium-dev)
fuzz_packages=(clang libclang-rt-14-dev)

# install_packages STAMP PACKAGE… — installs what is missing. STAMP is touched when all are there, so
# that the next call costs nothing.
install_packages() {
  local stamp=$1 missing=() package
  shift
  [[ -e $stamp && $stamp -nt $root/tools/prepare.sh ]] && return
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
      missing+=("$package")
  done
  if ((${#missing[@]})); then
    command -v apt-get >/dev/null ||
      die "these Debian packages are needed and apt-get is not here: ${missing[*]}"
    local as_root=()
    if ((EUID != 0)); then
      command -v sudo >/dev/null ||
        die "these Debian packages are needed; install them as root: apt-get install ${missing[*]}"
      as_root=(sudo)
    fi
    say "installing ${missing[*]}"
    # An old list of packages may lack them: refresh it once if the first try fails.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "${missing[@]}" >&2 ||
      { "${as_root[@]}" apt-get update -q >&2 &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "${missing[@]}" >&2; } ||
      die "could not install ${missing[*]}"
  fi
  mkdir -p "$(dirname "$stamp")"
  touch "$stamp"
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
    log=$(cd "$root" && cmake --preset "$1" 2>&1) || die "configuring failed:"$'\n'"$log"
  fi
  if [[ $first && -t 2 ]]; then
    ninja -C "$directory" "${@:2}" >&2 || die "the build failed"
  else
    log=$(ninja -C "$directory" --quiet "${@:2}" 2>&1) || die "the build failed:"$'\n'"$log"
  fi
  exec {lock}>&-
}
