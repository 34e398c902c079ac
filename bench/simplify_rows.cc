// SPDX-License-Identifier: Apache-2.0
#include "bench/simplify_rows.h"

#include <fstream>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/mlir_simplify.h"
#include "conform/protocol/json.h"
#include "impl/map/simplify.h"
#include "spec/lang/map/map_text.h"

namespace tileproof {
namespace {

std::optional<std::string> content_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The inputs of the lines {"op": "simplify", "input": MAP, ..}.
std::vector<IndexingMap> maps_of_cases(const std::string& text) {
  std::vector<IndexingMap> maps;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const absl::StatusOr<conform::JsonText> json = conform::read_json(line);
    if (!json.ok()) continue;
    const conform::Json* op = find(json->value, "op");
    const conform::Json* input = find(json->value, "input");
    if (op == nullptr || input == nullptr || op->as<std::string>() == nullptr ||
        *op->as<std::string>() != "simplify" || input->as<std::string>() == nullptr) {
      continue;
    }
    absl::StatusOr<IndexingMap> map = parse_map(*input->as<std::string>());
    if (map.ok()) maps.push_back(*std::move(map));
  }
  return maps;
}

}  // namespace

std::optional<std::vector<IndexingMap>> maps_in_file(const std::string& path) {
  const std::optional<std::string> text = content_of(path);
  if (!text) return std::nullopt;
  if (path.ends_with(".jsonl")) return maps_of_cases(*text);
  return parse_maps(*text).value_or(std::vector<IndexingMap>());
}

std::optional<SimplifyRow> simplify_row(const std::string& path) {
  const std::optional<std::vector<IndexingMap>> read = maps_in_file(path);
  if (!read) return std::nullopt;
  std::vector<IndexingMap> maps = *read;
  SimplifyRow row;
#ifdef TILEPROOF_MLIR_22
  std::erase_if(maps, [](const IndexingMap& map) { return !mlir_expresses(map); });
#endif
  row.count = std::ssize(maps);
  auto workspace = std::make_shared<impl::Workspace>();
  row.ours = [maps, workspace] {
    for (const IndexingMap& map : maps) {
      const absl::StatusOr<const IndexingMap*> simplified = impl::simplify_in(*workspace, map);
      asm volatile("" : : "g"(&simplified) : "memory");
    }
  };
#ifdef TILEPROOF_MLIR_22
  row.theirs = [maps] { simplify_with_mlir_22(maps); };
#endif
  return row;
}

}  // namespace tileproof
