package textfile

import (
	"path"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// A bundle, many modules that a tool wrote into one script, is told by its first and last bytes.
const (
	bundleHead = 8 << 10
	bundleTail = 1 << 10
	// mappedBytes is the size from which a script that names its source map is taken for a bundle: no one writes both.
	mappedBytes = 100 << 10
)

var scripts = extensions(".js", ".mjs", ".cjs")

// bundleMark is text by which one bundler is known. Code that speaks of bundlers holds it in quotes, in comments or
// within a line: a mark counts where a line begins with it.
type bundleMark struct {
	rule  string
	start []string // a line begins with one of them, white space and `"use strict";` left out
	also  []string // and one of them stands in the head; none: nothing more is asked
}

var bundleMarks = []bundleMark{
	{"webpack runtime", []string{"/******/"},
		[]string{"webpackBootstrap", "__webpack_require__", "__webpack_modules__"}},
	{"webpack runtime", []string{"function __webpack_require__(", "var __webpack_modules__ =",
		"var __webpack_modules__=", "(function webpackUniversalModuleDefinition(",
		"!function webpackUniversalModuleDefinition("}, nil},
	{"webpack chunk", []string{`(self["webpackChunk`, `(self['webpackChunk`, "(self.webpackChunk",
		`(globalThis["webpackChunk`, "(globalThis.webpackChunk",
		`(window["webpackJsonp`, `(window['webpackJsonp`, "(window.webpackJsonp", "webpackJsonp(["}, nil},
	{"esbuild runtime", []string{"var __defProp = Object.defineProperty;", "var __defProp=Object.defineProperty"},
		[]string{"var __export =", "var __export=", "var __toESM =", "var __toESM=", "var __commonJS =",
			"var __commonJS=", "var __toCommonJS =", "var __esm =",
			",__export=", ",__toESM=", ",__commonJS="}},
	{"esbuild runtime", []string{"var __commonJS = (cb, mod) =>", "var __esm = (fn, res) =>"}, nil},
	{"rollup wrapper", []string{"(function (global, factory) {", "!function(", "var commonjsGlobal = typeof globalThis",
		"function getDefaultExportFromCjs"},
		[]string{"(global = typeof globalThis !== 'undefined' ? globalThis : global || self",
			"(global = global || self, ", "(factory((global.", "(factory(global.",
			"commonjsGlobal = typeof globalThis !== 'undefined'",
			"Object.prototype.hasOwnProperty.call(x, 'default') ? x['default'] : x"}},
	{"vite preload", []string{"const __vite__mapDeps="}, nil},
	{"browserify prelude", []string{"(function(){function r(e,n,t){function o(i,f)",
		"require=(function(){function r(e,n,t){function o(i,f)",
		"(function e(t,n,r){function s(o,u)", "require=(function e(t,n,r){function s(o,u)",
		`(function(f){if(typeof exports==="object"&&typeof module!=="undefined"){module.exports=f()}`}, nil},
	{"parcel runtime", []string{"parcelRequire=(function(", "parcelRequire=function(", "parcelRequire = (function (",
		"// modules are defined as an array"},
		[]string{`},{"`, "}, {}]", "},{}]", `}, {"`}},
	{"parcel runtime", []string{"function $parcel$", "var $parcel$", "let $parcel$", "const $parcel$"}, nil},
}

// bundlersWords stand in a bundle, and in what is about bundles: more has to be known.
var bundlersWords = []string{"__webpack_require__", "__webpack_modules__", "__webpack_exports__", "webpackChunk",
	"webpackJsonp", "__toESM", "__toCommonJS",
	"__commonJS", "parcelRequire", "$parcel$", "commonjsGlobal", "_rollupPluginBabelHelpers", "__vite__mapDeps",
	"__vitePreload"}

// bundleDirs are folders in which what a bundler wrote is put.
var bundleDirs = []string{"dist", "bundle", "bundles", "priv/static", "public/build", "public/packs", "public/assets",
	"static/build"}

// bundled is the rule by which a script is the output of a bundler; "" for what is none.
func bundled(name code.Path, text string) string {
	if !scripts[strings.ToLower(path.Ext(name))] {
		return ""
	}
	head, tail := text[:min(len(text), bundleHead)], text[max(0, len(text)-bundleTail):]
	for i := range bundleMarks {
		if m := &bundleMarks[i]; begins(head, m.start) && (len(m.also) == 0 || holds(head, m.also)) {
			return m.rule
		}
	}
	known := holds(head, bundlersWords) || holds(tail, bundlersWords)
	switch mapped := sourceMapped(tail); {
	case mapped && (known || moduleLine(head)):
		return "source map of a bundle"
	case mapped && len(text) > mappedBytes:
		return "source map of a large script"
	case known && inBundleDir(name):
		return "bundler's words in a folder of bundles"
	}
	return ""
}

// begins reports whether a line of text begins with one of the marks.
func begins(text string, marks []string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " \t;")
		line = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(line, `"use strict";`), `'use strict';`), " \t;")
		for _, m := range marks {
			if strings.HasPrefix(line, m) {
				return true
			}
		}
	}
	return false
}

// holds reports whether text has one of the marks.
func holds(text string, marks []string) bool {
	return slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(text, m) })
}

// sourceMapped reports whether the last line names a source map.
func sourceMapped(tail string) bool {
	tail = strings.TrimRight(tail, " \t\n")
	last := strings.TrimLeft(tail[strings.LastIndexByte(tail, '\n')+1:], " \t")
	return strings.HasPrefix(last, "//# sourceMappingURL=") || strings.HasPrefix(last, "//@ sourceMappingURL=")
}

// moduleLine reports whether a line is a comment that holds nothing but the path of a script, as bundlers write before
// each module.
func moduleLine(head string) bool {
	for line := range strings.Lines(head) {
		p, ok := strings.CutPrefix(strings.TrimSpace(line), "// ")
		if ok && strings.Contains(p, "/") && !strings.ContainsAny(p, " \t:,;()") && moduleTypes[path.Ext(p)] {
			return true
		}
	}
	return false
}

var moduleTypes = extensions(".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".tsx", ".json", ".vue", ".svelte")

// inBundleDir reports whether a path lies in one of bundleDirs.
func inBundleDir(name code.Path) bool {
	dir, _ := path.Split("/" + strings.ToLower(name))
	return slices.ContainsFunc(bundleDirs, func(d string) bool { return strings.Contains(dir, "/"+d+"/") })
}
