package analyze

import (
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/search/blob"
)

func TestFilesThatOnlyPassOthersOnAreUmbrellas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, text string
		want       bool
	}{
		{"fleet.h", "#ifndef FLEET_H\n#define FLEET_H\n\n/* all of it\n * at once */\n#include \"ship.h\"\n# include <quay.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n#endif\n", true},
		{"fleet.hpp", "#pragma once\n#include \"ship.hpp\"\n#include \"quay.hpp\"\n#include \"crew.hpp\"\n", true},
		{"ship.h", "#pragma once\n#include <stdint.h>\n#include \"quay.h\"\nint sail(int knots);\nint moor(void);\n",
			false},
		{"limits.h", "#ifndef L_H\n#define L_H\n#define MOST 5\n#define LEAST 1\n#include \"a.h\"\n#endif\n", false},
		{"fleet/index.ts",
			"// the fleet\nexport * from './ship';\nexport { Quay, type Crew } from './quay';\nexport {\n  moor,\n  sail,\n} from './deeds';\n", true},
		{"fleet/index.js",
			"'use strict';\nconst ship = require('./ship');\nmodule.exports = {\n  quay: require('./quay'),\n  crew: require('./crew'),\n  port: require('./port'),\n  sail: require('./sail'),\n};\n", true},
		{"fleet/index.jsx",
			"import x from './x';\nimport y from './y';\nexport function sail() {\n  return x + y;\n}\n", false},
		{"fleet/__init__.py",
			"\"\"\"The fleet.\"\"\"\nfrom .ship import Ship\nfrom .quay import (\n    Quay,\n    Crew,\n)\n\n__all__ = [\n    'Ship',\n    'Quay',\n]\n", true},
		{"fleet/__init__.py", "from .ship import Ship\n\ndef sail():\n    return Ship()\n", false},
		{"fleet/__init__.py", "", false},
		{"fleet/mod.rs",
			"//! The fleet.\n#![allow(dead_code)]\nmod ship;\npub mod quay;\n#[cfg(test)]\nmod tests;\npub use ship::{\n    Sail,\n    Mast,\n};\n", true},
		{"fleet/lib.rs", "mod ship;\nmod tests {\n    fn a() { b() }\n    fn c() { d() }\n}\n", false},
		{"fleet/all.go", "package all\n\nimport (\n\t_ \"fleet/ship\"\n\t_ \"fleet/quay\"\n)\n", true},
		{"fleet/doc.go", "// Package fleet sails.\npackage fleet\n", false},
		{"fleet/fleet.dart", "library fleet;\n\nexport 'src/ship.dart';\nexport 'src/quay.dart';\n", true},
		{"fleet.rb",
			"# frozen_string_literal: true\nrequire 'set'\nmodule Fleet\n  autoload :Ship, 'fleet/ship'\n  autoload :Quay, 'fleet/quay'\nend\n", true},
		{"notes.md", "import this\nimport that\n", false},
	} {
		f := File(tt.path, tt.text)
		if f.Umbrella != tt.want {
			t.Errorf("%s (%s): umbrella %v, want %v\n%s", tt.path, f.Language, f.Umbrella, tt.want, tt.text)
		}
		read, err := blob.DecodeFeatures(blob.EncodeFeatures(f))
		if err != nil || read.Umbrella != tt.want {
			t.Errorf("%s: stored as %v, %v", tt.path, read, err)
		}
	}
}

func TestALargeFileIsNoUmbrellaForItsEnd(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("int x;\n", 200)
	if File("a.h", text+strings.Repeat("#include <b.h>\n", 5000)).Umbrella ||
		!File("a.h", "int x;\n"+strings.Repeat("#include <b.h>\n", 400)).Umbrella {
		t.Error("the share of a large file is not told")
	}
}
