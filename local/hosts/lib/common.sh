# Errors, options and small functions that every command uses.

state_dir=$(realpath -m "${KUBELOOM_HOSTS_DIR:-/var/lib/kubeloom-hosts}")
cache_dir=${KUBELOOM_CACHE_DIR:-/var/cache/kubeloom}
installation='' cluster='' provider='' region='' host='' id='' from='' all='' cause_said='' abort_if_orphaned=''
binds=()
first_parent=$PPID
# The programs that this helper runs; requirements.json has the Debian package of each.
host_tools=(systemd-nspawn mmdebstrap ip nft flock unshare ssh-keygen)
umask 022

# The last line on stderr, which the runner reads: kubeloom-host: <command> <host>: <cause>
fail() {
  local code=$1
  shift
  cause_said=yes
  echo "kubeloom-host: ${command:-} ${host:-${provider:-${cluster:--}}}: $*" >&2
  exit "$code"
}

# An unexpected failure: exit code 1, and the last line on stderr as well.
on_exit() {
  [ "$1" != 0 ] && [ -z "$cause_said" ] || exit "$1"
  fail 1 "a command failed with exit code $1 in ${FUNCNAME[1]:-main}, line ${BASH_LINENO[0]:-?}"
}
trap 'on_exit $?' EXIT

note() { echo "$*" >&2; }

parse_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --all) all=yes ;;
      --abort-if-orphaned) abort_if_orphaned=yes ;;
      --installation | --cluster | --provider | --region | --host | --id | --from)
        [ $# -ge 2 ] || fail 2 "$1 needs a value"
        # Values become file names, host names and parts of shell-read files: one narrow alphabet for all.
        [[ $2 =~ ^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$ && ${#2} -le 100 ]] ||
          fail 2 "$1 '$2' is not a name (letters, digits, '.', '_', '-'; at most 100)"
        printf -v "${1#--}" '%s' "$2"
        shift
        ;;
      --bind-ro)
        [[ ${2:-} == /*:/* && ${2:-} != *[[:space:]]* ]] || fail 2 "--bind-ro needs SRC:DST, both absolute, without spaces"
        binds+=("$2")
        shift
        ;;
      *) fail 2 "no such option: $1" ;;
    esac
    shift
  done
}

# need cluster provider …: the options without which a command has no meaning.
need() {
  local name
  for name in "$@"; do
    [ -n "${!name}" ] || fail 2 "--$name is missing"
  done
}

need_machine() {
  [ "$EUID" = 0 ] || fail 3 "root is needed to make hosts; run as root, or use the provider type sim"
  local tool
  for tool in "${host_tools[@]}"; do
    command -v "$tool" >/dev/null || fail 3 "$tool is not installed; run local/hosts/install-packages.sh"
  done
}

# Terraform was killed and this process continues alone: the host that it creates would be unknown to everyone.
stop_if_orphaned() {
  [ -n "$abort_if_orphaned" ] || return 0
  local stat
  read -r stat <"/proc/$$/stat"
  # State and parent come after the name, which may have spaces.
  [[ ${stat##*) } != ?" $first_parent "* ]] || return 0
  remove_host
  fail 4 "the process that asked for it is gone; host removed again"
}


# wait_until SECONDS COMMAND…: true as soon as the command is.
wait_until() {
  local end=$((${EPOCHREALTIME/[.,]/} + $1 * 1000000))
  shift
  until "$@"; do
    [ "${EPOCHREALTIME/[.,]/}" -lt "$end" ] || return 1
    sleep 0.02
  done
}

# Text as the inside of a JSON string.
json_text() {
  local text=${1//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  printf '%s' "${text//[[:cntrl:]]/ }"
}
