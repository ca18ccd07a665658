# Which proxy settings differ from those that proxy.sh writes? Changes nothing, and reads nothing that others wrote. Not what services run
# with: they learn other hosts of NO_PROXY with their next start.
differs=()
# as_set NAME FILE < content: hosts of NO_PROXY may be in any order; without a proxy there is no content.
as_set() { cmp -s <(tr ',"' '\n' | sort) <(tr ',"' '\n' 2>/dev/null <"$2" | sort) || differs+=("\"$1\""); }
as_set apt "$apt/95-kubeloom-proxy" < <(apt_settings)
as_set variables "$file" < <(variables)
as_set environment <(sed -n "$block p" /etc/environment 2>/dev/null) < <(environment_block)
for service in "${services[@]}"; do as_set "$service" "/etc/systemd/system/$service.service.d/kubeloom-proxy.conf" < <(unit_settings); done
fact proxy "[$(IFS=,; echo "${differs[*]:+${differs[*]}}")]"
