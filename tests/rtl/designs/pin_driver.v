// Drives a pin of both directions.
module pin_driver (
    input  wire value,
    inout  wire pin
);
    assign pin = value;
endmodule
