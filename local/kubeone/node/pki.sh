#!/bin/bash
# Certificates of a simulated cluster, below DIR (on nodes /etc/kubernetes); keys are made where they are used.
#   pki.sh DIR ca                        the cluster's CA, token and admin certificate, once
#   pki.sh DIR server NAME SANS          certificate of the API server on this node; SANS = DNS:a,IP:b,…
#   pki.sh DIR kubeconfig CLUSTER URL    admin.conf for that URL
set -euo pipefail
umask 077
dir=$1 pki=$1/pki
mkdir -p "$pki" "$dir/simulated"

key() { [ -s "$1" ] || openssl ecparam -name prime256v1 -genkey -noout -out "$1"; }
sign() { # sign FILE-STEM SUBJECT EXTENSIONS
  openssl req -new -key "$1.key" -subj "$2" |
    openssl x509 -req -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -set_serial "0x$(openssl rand -hex 8)" -days 3650 \
      -extfile <(printf '%s\n' "$3") -out "$1.crt" 2>/dev/null
}

case $2 in
  ca)
    if [ ! -s "$pki/ca.crt" ]; then
      key "$pki/ca.key"
      openssl req -x509 -new -key "$pki/ca.key" -subj "/CN=simulated-control-plane" -days 3650 -out "$pki/ca.crt" \
        -addext "keyUsage=critical,keyCertSign,cRLSign"
    fi
    if [ ! -s "$dir/simulated/admin.crt" ]; then
      key "$dir/simulated/admin.key"
      sign "$dir/simulated/admin" "/O=system:masters/CN=kubernetes-admin" "extendedKeyUsage=clientAuth"
    fi
    [ -s "$dir/simulated/token" ] || openssl rand -hex 32 >"$dir/simulated/token"
    ;;
  server)
    key "$pki/apiserver.key"
    if [ ! -s "$pki/apiserver.crt" ] || [ "$(cat "$pki/apiserver.sans" 2>/dev/null)" != "$4" ]; then
      sign "$pki/apiserver" "/CN=$3" "subjectAltName=$4"$'\n'"extendedKeyUsage=serverAuth"
      printf '%s\n' "$4" >"$pki/apiserver.sans"
      echo changed
    fi
    ;;
  kubeconfig)
    cat >"$dir/admin.conf" <<END
apiVersion: v1
kind: Config
clusters:
- name: $3
  cluster:
    server: $4
    certificate-authority-data: $(base64 -w0 <"$pki/ca.crt")
contexts:
- name: kubernetes-admin@$3
  context:
    cluster: $3
    user: kubernetes-admin
current-context: kubernetes-admin@$3
users:
- name: kubernetes-admin
  user:
    client-certificate-data: $(base64 -w0 <"$dir/simulated/admin.crt")
    client-key-data: $(base64 -w0 <"$dir/simulated/admin.key")
END
    ;;
esac
