# What haproxy is to run with, and what it runs with. KUBELOOM_HAPROXY: the whole configuration, base64.
config=/etc/haproxy/haproxy.cfg
text=$(base64 -d <<<"$KUBELOOM_HAPROXY")
fingerprint=$(sha256sum <<<"$text" | cut -c1-32)
text=${text//@fingerprint@/$fingerprint}
# haproxy's own answer: a reload that failed is not reported by systemctl.
running() { (exec 3<>/dev/tcp/127.0.0.1/65534; printf 'GET / HTTP/1.0\r\n\r\n' >&3; timeout 5 tail -n 1 <&3) 2>/dev/null || true; }
