// SPDX-License-Identifier: Apache-2.0
// What makes the requests of each suite (conform/suites/suites.h): a random one, and the bounded
// family with its description for the report. They only make requests; the judge knows the answers.
// A few requests are invalid. Texts are canonical, but those of the suite `parse`.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "conform/suites/family.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

// ---- layout_suites.cc ----

//     {"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]}
Json make_layout_request(Choose& choose, const Limits& limits);

// For every layout of small_families() (generate/layout/generate_shape.h): its physical dimensions,
// every index and every offset.
Family layout_family();
std::string layout_family_text();

// The physical dimensions of shapes in other spellings, and of texts that are not shapes.
//
//     {"op":"layout.physical","shape":"f32 [ 3 , 5 ] { 1 , 0 : T ( 2 , 2 ) }"}
Json make_parse_request(Choose& choose, const Limits& limits);

// Offsets by layouts of every system, above all by those that no other suite asks about: swizzled
// layouts of CuTe, memrefs of MLIR and formats of oneDNN.
Json make_format_request(Choose& choose, const Limits& limits);

// Asks who holds an element, or which element a place holds.
Json make_threads_request(Choose& choose, const Limits& limits);

// Elements of the parts that devices hold.
Json make_part_request(Choose& choose);

// ---- map_suites.cc ----

// generate/map/generate_map.h makes the maps: arbitrary valid maps, and the chains that compilers
// make. Some maps are rewritten into equal ones (generate/map/mutate_map.h), some are large, and
// some have numbers near the ends of 64 bits.
//
//     {"op":"map.simplify","map":"(d0) -> (d0 mod 6), domain: d0 in [0, 3]"}
Json make_map_request(Choose& choose, const Limits& limits);
Json make_simplify_request(Choose& choose, const Limits& limits);
Json make_compose_request(Choose& choose, const Limits& limits);
Json make_equal_request(Choose& choose, const Limits& limits);

// All small expressions, as text. They have at most two operations on d0, s0 and the constants -3 to
// 4, or they are sums of two expressions of one operation:
//
//     c, v                    a constant, a variable
//     c op c, v op c, c + v   op: + * floordiv ceildiv mod, no division by 0
//     (v op c) op c           two operations by constants
//     e + f                   e and f are a variable or v op c
//     (v + w) op c
//
// Example: ((d0) floordiv (3)) mod (2). The families evaluate each expression at every point of a
// small domain and at points just outside, and simplify it in three domains. Expressions of one
// operation also serve as constraints, and every two of them are composed and compared.
std::vector<std::string> bounded_expressions();

Family evaluate_family();
Family simplify_family();
Family compose_family();
Family equal_family();
std::string evaluate_family_text();
std::string simplify_family_text();
std::string compose_family_text();
std::string equal_family_text();

// Facts of maps, bank conflicts of accesses, and facts of tile grids.
Json make_facts_request(Choose& choose, const Limits& limits);

// ---- tla_suite.cc ----

// Some requests are invalid: a negative coordinate, a coordinate of another nesting, a width that
// does not divide 256, a tile of another rank. Not asked are
// - rows of 4-bit elements that end inside of a byte, because CATLASS and its description differ;
// - integer coordinates of modes without elements.
//
//     {"op":"tla.offset","layout":"((4,2),(4,3)):((4,16),(1,32))","coord":[1,5]}
Json make_tla_request(Choose& choose, const Limits& limits);

// Every layout of a bounded family at every integer coordinate (and two past the end) and at every
// coordinate with the layout's nesting; then every tag, width and small size.
Family tla_family();
std::string tla_family_text();

// The operations of the layout algebra of CuTe.
Json make_algebra_request(Choose& choose, const Limits& limits);

// ---- hlo_suites.cc ----

// hlo.index of small random operations and computations (generate/hlo/generate_hlo.h): of the root
// or another instruction, in either scope and direction.
Json make_hlo_request(Choose& choose, const Limits& limits);

// Every small operation of generate/hlo/bounded_hlo.h.
Family hlo_family();
std::string hlo_family_text();

// A request about the root.
Json hlo_question(absl::string_view hlo, absl::string_view scope,
                  absl::string_view direction = "output_to_input");

// hlo.utilization and hlo.tile of such modules. The fixed requests also ask map.transactions.
Json make_access_request(Choose& choose, const Limits& limits);

// tile.propagate of such modules: a symbolic tile of a result, or of an operand.
Json make_tile_request(Choose& choose, const Limits& limits);

// Parts of arrays, and collectives (generate/hlo/generate_collective.h).
Json make_devices_request(Choose& choose, const Limits& limits);

// A module and another, which may compute the same.
Json make_values_request(Choose& choose, const Limits& limits);

}  // namespace tileproof::conform
