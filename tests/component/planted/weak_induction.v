// Wrong on purpose: no induction without a word on the registers.
// sources: register_slice/proof_register_slice.v stream/weir_register_slice.v
// faults: register_slice/mutants.txt
// prove: induction 3 WIDTH=1
