"""Methods that read dates: what sells now, and neighbours whose purchases are recent."""
