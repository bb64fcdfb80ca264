"""Long proofs that run as many independent jobs: nineboard."""
