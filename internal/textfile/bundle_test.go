package textfile

import (
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

const mapped = "//# sourceMappingURL=berth.js.map\n"

func TestBundlesAreGeneratedAndCodeAboutThemIsNot(t *testing.T) {
	t.Parallel()
	hand := strings.Repeat("function moor(ship) {\n  return ship.moor();\n}\n", 40)
	for _, tt := range []struct{ path, text, rule string }{
		{"a.js", "/******/ (() => { // webpackBootstrap\n/******/ \tvar __webpack_modules__ = ({\n" + hand,
			"webpack runtime"},
		{"a.js", "/*! notice */\n(function webpackUniversalModuleDefinition(root, factory) {\n" + hand,
			"webpack runtime"},
		{"a.cjs", "// The module cache\nvar cache = {};\nfunction __webpack_require__(id) {\n" + hand,
			"webpack runtime"},
		{"a.js", `"use strict";(self["webpackChunkharbour"] = self["webpackChunkharbour"] || []).push([[7],{` + "\n" +
			hand, "webpack chunk"},
		{"a.js", `(window["webpackJsonp"] = window["webpackJsonp"] || []).push([[3],{` + "\n" + hand, "webpack chunk"},
		{"priv/static/berth.js",
			"var Berth = (() => {\n  var __defProp = Object.defineProperty;\n  var __export = (to, all) => {\n" + hand,
			"esbuild runtime"},
		{"bin/x.mjs",
			"#!/usr/bin/env node\nvar __create = Object.create;\nvar __defProp = Object.defineProperty;\nvar __toESM = (m) => m;\n" + hand, "esbuild runtime"},
		{"a.js", "var names = Object.getOwnPropertyNames;\nvar __commonJS = (cb, mod) => function __require() {\n" +
			hand, "esbuild runtime"},
		{"a.js", "(function (global, factory) {\n  typeof exports === 'object' ? factory(exports) :\n  (global = global || self, factory(global.berth = {}));\n" + hand, "rollup wrapper"},
		{"a.js", "const __vite__mapDeps=(i)=>i;\n" + hand, "vite preload"},
		{"a.js", "(function(){function r(e,n,t){function o(i,f){if(!n[i]){}}}return r})()({1:[function(require,module,exports){\n" + hand, "browserify prelude"},
		{"a.js", "require=(function e(t,n,r){function s(o,u){}})({1:[function(require,module,exports){\n" + hand,
			"browserify prelude"},
		{"a.js", "parcelRequire = (function (modules, cache, entry) {\n})({\"x\":[function(require) {\n},{\"./y\":\"y\"}],\n" + hand, "parcel runtime"},
		{"a.js", "function $parcel$export(e, n, v, s) {\n" + hand, "parcel runtime"},
		{"a.mjs", "// js/berth/quay.js\n" + hand + "export { moor };\n" + mapped, "source map of a bundle"},
		{"a.js", hand + "module.exports = __toESM(moor);\n" + mapped, "source map of a bundle"},
		{"a.js", strings.Repeat(hand, 100) + mapped, "source map of a large script"},
		{"app/priv/static/a.js", hand + "use(__webpack_exports__);\n", "bundler's words in a folder of bundles"},

		{"a.js", hand, ""},
		{"dist/a.js", hand, ""},
		{"a.js", hand + mapped, ""}, // a compiler's output of one file stands for what was written
		{"a.js", strings.Repeat(hand, 100), ""},
		{"webpack.config.js",
			"// See webpackBootstrap.\nconst webpack = require('webpack');\nmodule.exports = { output: { chunkLoadingGlobal: 'webpackChunkharbour' } };\n", ""},
		{"esbuild.config.mjs",
			"import * as esbuild from 'esbuild';\nawait esbuild.build({ bundle: true, sourcemap: true });\n", ""},
		{"plugin.js",
			"const name = '__webpack_require__';\nmodule.exports = class { apply(c) { c.emit(`function ${name}(id) {`); } };\n" + hand, ""},
		{"runtime.js", "exports.head = \"/******/ (() => { // webpackBootstrap\";\n" + hand, ""},
		{"public.js", "__webpack_public_path__ = window.harbour;\n" + hand, ""},
		{"props.js", "var __defProp = Object.defineProperty;\n" + hand, ""},
		{"umd.js", "(function (global, factory) {\n  factory(global);\n})(this, function (global) {\n" + hand, ""},
		{"find.js", "if (window.parcelRequire) {\n  moor(window.parcelRequire);\n}\n" + hand, ""},
		{"maps.js", "const last = '//# sourceMappingURL=';\n" + hand, ""},
		{"a.md", "/******/ (() => { // webpackBootstrap\n", ""},
		{"a.go", "function __webpack_require__(id) {\n", ""},
	} {
		reason, detail := MachineWritten(tt.path, tt.text)
		if tt.rule == "" && reason != "" ||
			tt.rule != "" && (reason != code.Generated || detail != "bundle: "+tt.rule) {
			t.Errorf("MachineWritten(%q, %.80q) = %q, %q, want rule %q", tt.path, tt.text, reason, detail, tt.rule)
		}
	}
}

func TestABundleIsToldByItsHeadAndTailAlone(t *testing.T) {
	t.Parallel()
	hand := strings.Repeat("moor(ship);\n", bundleHead)
	if rule := bundled("a.js", hand[:bundleHead]+"function __webpack_require__(id) {\n"+
		hand[:2*bundleTail]); rule != "" {
		t.Errorf("a mark behind the head gives %q", rule)
	}
	for _, text := range []string{
		"", "\n", ";", "//# sourceMappingURL=", strings.Repeat("\n", 3*bundleHead), strings.Repeat("\xff", 9000),
	} {
		bundled("a.js", text)
	}
}
