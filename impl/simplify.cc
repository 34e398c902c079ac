#include "impl/simplify.h"

#include <algorithm>
#include <vector>

#include "impl/normalize.h"
#include "impl/rewrite.h"
#include "spec/lang/map_text.h"

namespace tileproof::impl {

struct Workspace::Parts {
  Forms forms;
  std::vector<int64_t> sizes;
};

Workspace::Workspace() : parts_(std::make_unique<Parts>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

absl::StatusOr<IndexingMap> simplify(const IndexingMap& map, Workspace& workspace) {
  absl::Status status = validate_map(map);
  if (!status.ok()) return status;
  if (map.known_empty) return no_points(map);
  for (const auto* v : {&map.dimensions, &map.ranges, &map.runtime}) for (auto& x : *v) if (x.bounds.low > x.bounds.high) return no_points(map);
  auto& forms = workspace.parts().forms;
  begin_domain(forms, map);
  tree_sizes(map.nodes, workspace.parts().sizes);
  Normalizer normalizer(forms, map);
  IndexingMap out = map;
  out.nodes.clear();
  for (size_t i = 0; i < map.results.size(); ++i) {
    const Linear form = normalizer.form_of(map.results[i]);
    NodeId id = -1;
    if (!forms.refused) id = rewrite(forms, normalizer, map, map.results[i], form, workspace.parts().sizes, out.nodes);
    if (forms.refused) { id = copy_tree(map.nodes, map.results[i], out.nodes); begin_domain(forms, map); normalizer.reset(); }
    out.results[i] = id;
  }
  for (auto& c : out.constraints) c.expr = copy_tree(map.nodes, c.expr, out.nodes);
  return out;
}

absl::StatusOr<IndexingMap> simplify(const IndexingMap& map) {
  thread_local Workspace workspace;
  return simplify(map, workspace);
}

}  // namespace tileproof::impl
