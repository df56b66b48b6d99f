/* Versions of variables in combinational processes: what ssa_transform leaves, and who reads that. They are attributes of
 * the variables that it makes:
 *   version_of = "a"                      the variable of the source that this is a version of
 *   version_when = "taken_0 && !taken_1"  the branch that it belongs to, where that is one: names of conditions
 *   version_merges                        it only chooses among the versions that branches end with
 *   version_condition                     the condition of a branch, no version
 *   version_scope = "a=a_0 b=b_2"         propagate_scope_variable: what holds before the version is assigned */
#ifndef WEIR_PASSES_RTL_VERSIONS_H
#define WEIR_PASSES_RTL_VERSIONS_H

#include "rtlir/stmt.h"

#define WEIR_VERSION_OF "version_of"
#define WEIR_VERSION_WHEN "version_when"
#define WEIR_VERSION_MERGES "version_merges"
#define WEIR_VERSION_CONDITION "version_condition"
#define WEIR_VERSION_SCOPE "version_scope"

#endif
