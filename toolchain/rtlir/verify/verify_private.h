/* The parts of the verifier. */
#ifndef WEIR_RTLIR_VERIFY_PRIVATE_H
#define WEIR_RTLIR_VERIFY_PRIVATE_H

#include "rtlir/core/private.h"
#include "rtlir/verify/verify.h"

/* All machines of a module (fsm_verify.c): false after an error. */
bool rtl_verify_machines(weir_rtl_design *design, uint32_t module);

/* Rules of one module that do not look at bits (verify_form.c): what is named exists, is where it may be, and is used
 * as what it is. True when all hold. `seen` is zero at the start, one an expression. */
bool rtl_verify_form(weir_rtl_design *design, uint32_t module, uint32_t *seen);

/* Has it neither machines nor wired instances (printable.c)? Else that is reported. */
bool rtl_is_printable(weir_rtl_design *design, uint32_t module);

/* What is known of the bits of inout ports (inouts.c). */
enum { RTL_BIT_DRIVEN = 1, RTL_BIT_FLOATS = 2 /* all its drivers are tri-state */, RTL_BIT_READ = 4 };
typedef struct rtl_inouts {
    size_t *first; /* by module: where its bits start, plus 1; 0: unknown */
    unsigned char *bit;
    size_t count, first_capacity, bit_capacity;
} rtl_inouts;
/* Room for the bits of a module's inout ports, in the order of ports, to be filled in; NULL: it has none. */
unsigned char *rtl_inouts_add(rtl_inouts *inouts, const weir_rtl_design *design, uint32_t module);
/* The bits of the port, NULL when nothing is known of its module. */
const unsigned char *rtl_inouts_of(const rtl_inouts *inouts, const weir_rtl_design *design, uint32_t port);
void rtl_inouts_free(rtl_inouts *inouts);

/* Drivers and readers of the bits of one module after the other (drivers.c); what is wrong is reported. */
enum { RTL_CHECK_DRIVERS = 1, RTL_CHECK_CONNECTIONS = 2, RTL_CHECK_GAPS = 4 };
typedef struct weir_rtl_gaps rtl_nets;
rtl_nets *rtl_nets_new(weir_rtl_design *design, unsigned checks);
void rtl_nets_check(rtl_nets *nets, uint32_t module);
void rtl_nets_free(rtl_nets *nets);

#endif
