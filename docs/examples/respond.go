// SPDX-License-Identifier: Apache-2.0
// An implementation of two operations, without tiles, in Go: tileproof conform -- go run respond.go
package main

import "bufio"
import "encoding/json"
import "os"

const hello = `{"name": "respond.go", "parsed": true, "limits": {"bits": 32}, "window": 64}`

type request struct {
	ID     any
	Op     string
	Index  []int64
	Parsed struct {
		Shape *struct {
			Dims           []*int64 // null: any size
			Minor_to_major []int64
			Tiles          []any
			Tail, Bits     int64
		}
	}
}

// The key and the value of the answer to a request.
func answer(r request) (string, any) {
	s := r.Parsed.Shape
	if r.Op == "hello" {
		return "result", json.RawMessage(hello)
	} else if s == nil || s.Bits == 0 {
		return "error", "expected an array with known sizes"
	} else if len(s.Tiles) > 0 || s.Tail > 1 || (r.Op != "layout.physical" && r.Index == nil) {
		return "unsupported", r.Op + " of this kind"
	}
	dims, elements, offset := []int64{}, int64(1), int64(0)
	for i := len(s.Minor_to_major) - 1; i >= 0; i-- {
		d := s.Minor_to_major[i]
		if s.Dims[d] == nil || r.Index != nil && (len(r.Index) != len(s.Dims) || r.Index[d] < 0 || r.Index[d] >= *s.Dims[d]) {
			return "error", "outside of the array"
		} else if r.Index != nil {
			offset = offset**s.Dims[d] + r.Index[d]
		}
		dims, elements = append(dims, *s.Dims[d]), elements**s.Dims[d]
	}
	if r.Op == "layout.physical" {
		return "result", map[string]any{"dims": dims, "elements": elements, "bytes": (elements*s.Bits + 7) / 8}
	} else if len(r.Index) != len(dims) {
		return "error", "expected an index of the array's rank"
	}
	return "result", offset
}
func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var r request
		json.Unmarshal(lines.Bytes(), &r)
		key, value := answer(r)
		line, _ := json.Marshal(map[string]any{"id": r.ID, key: value})
		os.Stdout.Write(append(line, '\n'))
	}
}
