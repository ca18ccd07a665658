# What the clock of this machine said when the script began and what it says now, in seconds since 1970. The runner judges it. KUBELOOM_BEGAN: the former.
fact clock "{\"from\":$KUBELOOM_BEGAN,\"to\":$EPOCHSECONDS}"
