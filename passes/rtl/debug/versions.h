/* Versions of variables in combinational processes: what ssa_transform leaves, and who reads that. They are attributes
 * of the variables that it makes:
 *   version_of = "a"                      the variable of the source that this is a version of
 *   version_when = "taken_0 && !taken_1"  the branch that it belongs to, where that is one: names of conditions
 *   version_merges                        it only chooses among the versions that branches end with
 *   version_condition                     the condition of a branch, no version
 *   version_scope = "a=a_0 b=b_2"         propagate_scope_variable: what holds before the version is assigned */
#ifndef WEIR_PASSES_RTL_VERSIONS_H
#define WEIR_PASSES_RTL_VERSIONS_H

#include "passes/rtl/numbers.h"
#include "rtlir/core/stmt.h"

#define WEIR_VERSION_OF "version_of"
#define WEIR_VERSION_WHEN "version_when"
#define WEIR_VERSION_MERGES "version_merges"
#define WEIR_VERSION_CONDITION "version_condition"
#define WEIR_VERSION_SCOPE "version_scope"

/* Attributes of a variable; NULL when it has none. */
const char *weir_version_text(const weir_rtl_design *design, weir_rtl_var var, const char *attribute);
/* Is it a version, or the condition of one? */
bool weir_is_version(const weir_rtl_design *design, weir_rtl_var var);

/* For each version that the module's processes assign, the last statement that does, by ids. The table is emptied
 * first. */
void weir_list_versions(const weir_rtl_design *design, weir_rtl_module module, weir_numbers *last);
/* Calls back for each version that has its value from this statement, by the table: one that the statement only copies
 * before it assigns a part of it is none. */
typedef void weir_version_visitor(weir_rtl_var version, weir_rtl_stmt stmt, void *user);
void weir_visit_versions(const weir_rtl_design *design, weir_rtl_stmt stmt, const weir_numbers *last,
                         weir_version_visitor *visit, void *user);

#endif
