// Listens to a pin of both directions.
module pin_reader (
    output wire seen,
    inout  wire pin
);
    assign seen = pin;
endmodule
