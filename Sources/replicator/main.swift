print("replicator")
