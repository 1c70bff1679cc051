"""Settings -> run -> record; many runs on cores or a cluster; lists for everybody."""
