# Accounts of a state directory: the owner of a site, and who may change it. Of a password only a salted hash is stored.
# Without accounts and without credentials every caller may do everything.

# In variables of this process alone: what it starts, hosts above all, must not have them in their environment.
given_account=${KUBELOOM_HOST_ACCOUNT:-} given_password=${KUBELOOM_HOST_PASSWORD:-}
export -n given_account given_password
unset KUBELOOM_HOST_ACCOUNT KUBELOOM_HOST_PASSWORD
actor=''

# account set|remove NAME, account list, account check
command_account() {
  local action=${1:-} name=${2:-}
  case "$action $#" in
    "set 2" | "remove 2")
      [ "$(id -u)" = 0 ] || fail 3 "root is needed to $action accounts"
      [[ $name =~ ^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$ && ${#name} -le 100 ]] ||
        fail 2 "'$name' is not a name (letters, digits, '.', '_', '-'; at most 100)"
      host=$name
      "${action}_account" "$(accounts_dir)/$name"
      ;;
    "list 1") ls "$(accounts_dir)" 2>/dev/null || true ;;
    "check 1") log_in ;;
    *) fail 2 "account needs one of: set NAME, remove NAME, list, check" ;;
  esac
}

set_account() {
  local given hash LC_ALL=C
  [ ! -t 0 ] || printf 'Password of the account %s: ' "$host" >&2
  IFS= read -rs given || true
  [[ $given =~ ^[[:graph:]]{8,128}$ ]] || fail 2 "a password has 8 to 128 letters, digits and signs, and no spaces; it is read from stdin"
  hash=$(hash_of_password "\$6\$$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')" "$given")
  install -d -m 700 "$state_dir" "${1%/*}"
  (umask 077 && echo "$hash" >"$1.new.$$" && mv "$1.new.$$" "$1")
}

remove_account() {
  [ -f "$1" ] || fail 2 "there is no such account"
  rm -f "$1"
  rmdir "${1%/*}" 2>/dev/null || true
}

accounts_dir() { echo "$state_dir/accounts"; }

# hash_of_password SALT PASSWORD: as in /etc/shadow. A hash is its own salt. Nothing of it is on a command line.
hash_of_password() {
  command -v perl >/dev/null || fail 3 "perl is not installed; passwords of accounts are hashed with it"
  # shellcheck disable=SC2016
  printf '%s\n' "$1" "$2" | perl -e 'chomp(my ($salt, $password) = <STDIN>); print crypt($password, $salt), "\n"'
}

# Identifies the caller: sets actor, '' for none.
log_in() {
  local kept
  actor=''
  if [ -z "$given_account$given_password" ]; then
    [ -z "$(ls "$(accounts_dir)" 2>/dev/null)" ] || refuse "none were given, and this machine has accounts"
    return 0
  fi
  if ! [[ $given_account =~ ^[A-Za-z0-9._-]+$ ]] || ! kept=$(cat "$(accounts_dir)/$given_account" 2>/dev/null); then
    refuse "there is no such account"
  fi
  [ "$(hash_of_password "$kept" "$given_password")" = "$kept" ] || refuse "wrong password"
  actor=$given_account
}

# For commands that change the site that the options name.
admit() {
  log_in
  admit_to_site
}

# A site belongs to the account that created it.
admit_to_site() {
  local owner
  owner=$(cat "$site_dir/account" 2>/dev/null || true)
  [ -z "$owner" ] && return 0
  [ -n "$actor" ] || log_in
  [ "$owner" = "$actor" ] || refuse "the existing site belongs to another account"
}

# Under the cluster's lock: a site without owner belongs to the actor from now on.
claim_site() {
  [ -z "$actor" ] || [ -s "$site_dir/account" ] || echo "$actor" >"$site_dir/account"
}

refuse() { fail 7 "the credentials of ${provider:-the account} are refused: $*"; }
