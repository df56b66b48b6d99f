// Wrong on purpose: a window begins anywhere, not behind a reset.
// sources: register_slice/proof_register_slice.v stream/weir_register_slice.v
// faults: register_slice/mutants.txt
// prove: window 8 WIDTH=1
