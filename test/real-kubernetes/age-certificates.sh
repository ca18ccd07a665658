#!/usr/bin/env bash
# Signs the certificates of this control node again, with their keys, as if they were made FROM days ago and ended DAYS days from now (-5: they ended).
# Arguments: FROM DAYS. The same for the kubeconfigs.
set -euo pipefail
from=$(date -u -d "-$1 days" +%Y%m%d%H%M%SZ) until=$(date -u -d "$2 days" +%Y%m%d%H%M%SZ)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
sign() { # CERTIFICATE KEY AUTHORITY
  : >"$place/index"
  openssl rand -hex 8 >"$place/serial"
  cat >"$place/ca.cnf" <<CONFIG
[ca]
default_ca = one
[one]
database = $place/index
serial = $place/serial
new_certs_dir = $place
default_md = sha256
policy = any
preserve = yes
unique_subject = no
copy_extensions = copyall
[any]
organizationName = optional
commonName = supplied
CONFIG
  openssl x509 -x509toreq -copy_extensions copyall -in "$1" -key "$2" -out "$place/request" 2>/dev/null
  openssl ca -batch -notext -config "$place/ca.cnf" -cert "$3.crt" -keyfile "$3.key" -startdate "$from" -enddate "$until" \
    -in "$place/request" -out "$place/signed" 2>/dev/null
  cat "$place/signed" >"$1"
}
cd /etc/kubernetes
for name in apiserver apiserver-kubelet-client; do sign "pki/$name.crt" "pki/$name.key" pki/ca; done
sign pki/front-proxy-client.crt pki/front-proxy-client.key pki/front-proxy-ca
for name in apiserver-etcd-client etcd/server etcd/peer etcd/healthcheck-client; do sign "pki/$name.crt" "pki/$name.key" pki/etcd/ca; done
for file in admin controller-manager scheduler; do
  for part in certificate key; do
    sed -n "s/^ *client-$part-data: *//p" "$file.conf" | base64 -d >"$place/$part"
  done
  sign "$place/certificate" "$place/key" pki/ca
  sed -i "s|client-certificate-data: .*|client-certificate-data: $(base64 -w 0 <"$place/certificate")|" "$file.conf"
done
