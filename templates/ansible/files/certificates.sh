# Certificates of Kubernetes on this machine, as they are; the runner reads when they end. Keys that are in the same files stay here.
# KUBELOOM_CERTIFICATES: words, their files.
certificate() {
  case $1 in
    *.conf) sed -n '/client-certificate-data:/{s/.*: *//p;q}' "$1" | tr -d '" \r\n' ;;
    *) sed -n '/^-----BEGIN CERTIFICATE-----/,/^-----END CERTIFICATE-----/p;/^-----END CERTIFICATE-----/q' "$1" | base64 -w 0 ;;
  esac
}
found=
for file in $KUBELOOM_CERTIFICATES; do
  [ -s "$file" ] || continue
  text=$(certificate "$file")
  [ -z "$text" ] || found="$found,\"$file\":\"$text\""
done
fact certificates "{${found#,}}"
# As in renew-certificates.sh.
[ ! -e /etc/kubernetes/kubeloom-renewal ] || fact renewing true
