/** A kubectl of the nodes stage that plays a small API server. */

/**
 * Notes its calls; `get nodes` prints the files of the nodes; `fail-<command>-<node>` holds what a command dies of, once;
 * `after-<command>-<node>` is what the node is from that command on.
 */
export const fakeKubectl = `#!/bin/bash
cluster=$KUBELOOM_TEST_CLUSTER
shift
echo "$*" >> "$cluster/calls"
case "$1 $2" in 'get replicas.longhorn.io') cat "$cluster/replicas"; exit;; 'get pod') cat "$cluster/etcd-environment"; exit;; 'get poddisruptionbudgets') cat "$cluster/budgets"; exit;; esac
case "$1" in
  get) [ "$2" = nodes ] || { echo 'Error from server (NotFound): not found' >&2; exit 1; }
    printf '{"items":['; sep=; for f in "$cluster"/nodes/*; do [ -e "$f" ] && { printf '%s' "$sep"; cat "$f"; sep=,; }; done; printf ']}';;
  exec) [ -e "$cluster/etcd-down-$4" ] && { echo 'container not found' >&2; exit 1; }
    grep -q ETCDCTL_KEY "$cluster/etcd-environment"; [ "$?" != "$([[ "$*" == *--key=* ]]; echo $?)" ] || { echo 'conflicting environment variable is shadowed, or no key' >&2; exit 1; }
    case "$*" in *'member list'*) echo 'warning: deprecated'; cat "$cluster/members";; *'member remove'*) sed -i -E "s/[{].ID.:.\${*: -1}.,[^}]*[}],?//; s/,[]]/]/" "$cluster/members";; esac;;
  patch|drain|cordon|taint|delete)
    # As many cordons as the file says wait for each other.
    [ "$1" = cordon ] && [ -e "$cluster/together" ] && for _ in $(seq 600); do [ "$(grep -c ^cordon "$cluster/calls")" -ge "$(cat "$cluster/together")" ] && break; sleep 0.05; done
    node=$2; case "$1" in patch|taint|delete) node=$3;; esac
    fault="$cluster/fail-$1-$node"; [ -e "$fault" ] && { cat "$fault" >&2; rm "$fault"; exit 1; }
    for dead in "$cluster/after-$1-"*; do [ -e "$dead" ] && mv "$dead" "$cluster/nodes/\${dead##*/after-$1-}"; done
    [ "$1" = delete ] && rm -f "$cluster/nodes/$node";;
esac
exit 0
`;
