# shellcheck shell=bash
# What the scripts of this folder share: what is said, what is installed, how it is built. Sourced, not run.
# Invariant: nothing here needs more than Debian's base system; what is there already costs no network and no root.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
started=$SECONDS

say() { printf '[%4ds] %s\n' $((SECONDS - started)) "$*"; }
die() { say "$*" >&2; exit 1; }

# packages GROUP... : the names in packages.txt that belong to these groups.
packages() {
  local name why groups group
  while read -r name _ why; do
    case $name in '' | '#'*) continue ;; esac
    groups=${why%%:*}
    [[ $groups =~ ^((build|test|run|long|real|bench|package|fleet) ?)+$ ]] || groups=build
    for group in "$@"; do
      if [[ " $groups " == *" $group "* ]]; then
        echo "$name"
        break
      fi
    done
  done <deploy/packages.txt
}

# A package is there if dpkg has it, or if its program is (a node, a clang or a kubectl from elsewhere).
missing() {
  local name program
  packages "$@" | while read -r name; do
    case $name in
      nodejs) program=node ;;
      kubernetes-client) program=kubectl ;;
      *) program=$name ;;
    esac
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || command -v "$program" >/dev/null || echo "$name"
  done
}

as_root() { if ((EUID == 0)); then "$@"; else sudo "$@"; fi; }

# install_packages GROUP... : installs what is missing, and only then speaks to the network. Without options, dpkg waits
# for the disk after each file, which takes two thirds of the time; so it is told not to, and the disk is synced once.
install_packages() {
  local names name there=()
  mapfile -t names < <(missing "$@")
  if ((${#names[@]} == 0)); then
    say "packages ($*): all there"
    return
  fi
  say "packages: installing ${names[*]}"
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    die "these need root, and there is no sudo: as root, run  apt-get install --no-install-recommends ${names[*]}"
  fi
  as_root apt-get -q -o Acquire::Retries=3 update 2>&1 | tail -n 1 || die "apt-get update failed: see its last words above"
  for name in "${names[@]}"; do
    if packages real | grep -x "$name" >/dev/null && ! apt-cache show "$name" >/dev/null 2>&1; then
      say "  this Debian has no $name: left out"
    else
      there+=("$name")
    fi
  done
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 \
    -o DPkg::Options::=--force-unsafe-io install --no-install-recommends "${there[@]}" 2>&1 | apt_progress ||
    die "apt-get failed: see its last words above"
  sync
}

# What apt is at, a line each ten seconds; its warnings and errors whole.
apt_progress() {
  local line count=0 next=$SECONDS
  while IFS= read -r line; do
    case $line in
      E:* | W:* | Err:* | dpkg:*) say "  $line" ;;
      [0-9]*' newly installed'* | 'Need to get'*) say "  $line" ;;
      Get:* | Unpacking* | 'Setting up'*)
        count=$((count + 1))
        if ((SECONDS >= next)); then
          say "  $count steps: ${line%% (*}"
          next=$((SECONDS + 10))
        fi ;;
    esac
  done
}

# build PRESET [TARGET...] : configures and builds it, all of it or some targets.
build() {
  local preset=$1 target targets=()
  shift
  for target in "$@"; do targets+=(--target "$target"); done
  say "build: $preset"
  cmake --preset "$preset" >"$(log "configure-$preset")" || { cat "$(log "configure-$preset")"; die "cmake could not configure the preset $preset"; }
  cmake --build --preset "$preset" -j "$(nproc)" "${targets[@]}" | ninja_progress || die "the build of the preset $preset failed"
}

# What ninja is at, a line each ten seconds and at the end; everything else (errors) whole.
ninja_progress() {
  local line next=$SECONDS
  while IFS= read -r line; do
    if [[ ! $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      printf '%s\n' "$line"
    elif ((BASH_REMATCH[1] > 0 && SECONDS >= next || BASH_REMATCH[1] == BASH_REMATCH[2])); then
      say "  ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} built"
      next=$((SECONDS + 10))
    fi
  done
}

# Where a step's full output goes.
log() {
  mkdir -p build/logs
  echo "build/logs/$1.log"
}
