package sandbox

import (
	"slices"
	"strings"
)

// The names behind the reasons that a name alone gives. docs/SKIPPED_FILES.md shows them; a test holds both equal.
// All but the VCS folders are compared in lower case.

// vcsDirs are folders that version control keeps for itself.
var vcsDirs = []string{".git", ".hg", ".jj", ".svn"}

// vendoredDirs hold other people's code.
var vendoredDirs = []string{"bower_components", "node_modules", "pods", "site-packages"}

// vendorMarks are files that tell a folder called "vendor" that a package manager fills.
var vendorMarks = []string{"autoload.php", "modules.txt"}

// buildDirs hold what a build leaves behind, unless git tracks a file in them.
var buildDirs = []string{
	".angular", ".astro", ".aws-sam", ".build", ".cache", ".dart_tool", ".docusaurus", ".eggs", ".expo", ".gradle", ".hypothesis",
	".ipynb_checkpoints", ".mypy_cache", ".netlify", ".next", ".nox", ".nuxt", ".nyc_output", ".output", ".parcel-cache",
	".pytest_cache", ".ruff_cache", ".serverless", ".stack-work", ".svelte-kit", ".terraform", ".tox", ".turbo", ".venv", ".vercel",
	".vite", ".zig-cache", "__pycache__", "_build", "bazel-bin", "bazel-out", "bazel-testlogs", "build", "cmake-build-debug",
	"cmake-build-release", "cmakefiles", "coverage", "deriveddata", "dist", "dist-newstyle", "elm-stuff", "htmlcov", "obj", "out",
	"storybook-static", "target", "venv", "zig-cache", "zig-out",
}

// plainWords are those of buildDirs that people call folders of their own as well: below a source folder they are
// source, unless git ignores them.
var plainWords = []string{"build", "coverage", "dist", "obj", "out", "target"}

// sourceDirs hold what people write.
var sourceDirs = []string{"app", "cmd", "internal", "lib", "pkg", "source", "sources", "src"}

// belowSource reports whether dir, a path that ends in "/" or is empty, is a source folder or lies in one.
func belowSource(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if isSourceDir[lowerName(part)] {
			return true
		}
	}
	return false
}

// lockfiles pin versions; a package manager writes them.
var lockfiles = []string{
	".terraform.lock.hcl", "buf.lock", "bun.lock", "bun.lockb", "cabal.project.freeze", "cargo.lock", "cartfile.resolved", "chart.lock",
	"composer.lock", "conda-lock.yml", "deno.lock", "flake.lock", "gemfile.lock", "gems.locked", "go.sum", "go.work.sum",
	"gradle.lockfile", "lake-manifest.json", "mix.lock", "module.bazel.lock", "npm-shrinkwrap.json", "package-lock.json",
	"package.resolved", "packages.lock.json", "paket.lock", "pdm.lock", "pipfile.lock", "pixi.lock", "pnpm-lock.yaml", "podfile.lock",
	"poetry.lock", "pubspec.lock", "pylock.toml", "rebar.lock", "renv.lock", "shard.lock", "spack.lock", "stack.yaml.lock", "uv.lock",
	"yarn.lock",
}

// secretDirs hold keys and passwords.
var secretDirs = []string{".gnupg", ".ssh"}

// secretFiles are names and patterns with at most one "*" of files that hold keys and passwords.
var secretFiles = []string{
	"*.agekey", "*.env", "*.jks", "*.kdbx", "*.key", "*.keystore", "*.p12", "*.p8", "*.pem", "*.pfx", "*.pkcs12", "*.ppk", "*.tfstate",
	"*.tfstate.backup", ".credentials", ".dockercfg", ".env", ".env-*", ".env.*", ".env_*", ".envrc", ".git-credentials", ".htpasswd",
	".my.cnf", ".netrc", ".npmrc", ".pgpass", ".pypirc", ".s3cfg", ".vault-token", "_netrc", "client_secret*.json", "credentials",
	"credentials.csv", "credentials.json", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk", "id_rsa", "kubeconfig",
	"master.key", "secring.gpg", "service-account*.json", "service_account*.json",
}

// secretTemplates are words that, as the first or last part of the name of an environment file, say that it holds no
// secret.
var secretTemplates = []string{"default", "defaults", "dist", "example", "sample", "schema", "template", "tmpl", "tpl"}

// agentFiles are ignore files of other coding agents.
var agentFiles = []string{
	".aiderignore", ".aiexclude", ".aiignore", ".augmentignore", ".clineignore", ".codeiumignore", ".continueignore", ".cursorignore",
	".geminiignore", ".rooignore", ".windsurfignore",
}

// ownFile is the name of our own ignore file.
const ownFile = ".contextdignore"

// set makes a look-up table of names.
func set(names []string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

var (
	isVendoredDir = set(vendoredDirs)
	isBuildDir    = set(buildDirs)
	isPlainWord   = set(plainWords)
	isSourceDir   = set(sourceDirs)
	isLockfile    = set(lockfiles)
	isSecretDir   = set(secretDirs)

	secretNames    = map[string]string{} // names without a star to themselves
	secretSuffixes = map[string]string{} // ".ext" of "*.ext" to the pattern
	secretPatterns []starred             // the others
)

// starred is a pattern with one star, cut there.
type starred struct{ pattern, before, after string }

func init() {
	for _, p := range secretFiles {
		switch star := strings.Count(p, "*"); {
		case star == 0:
			secretNames[p] = p
		case star == 1 && strings.HasPrefix(p, "*.") && strings.Count(p, ".") == 1:
			secretSuffixes[p[1:]] = p
		default:
			before, after, _ := strings.Cut(p, "*")
			secretPatterns = append(secretPatterns, starred{p, before, after})
		}
	}
}

// isVCS reports whether an entry of this name is version control's own: a folder, and for git a file too.
func isVCS(name string, dir bool) bool {
	return len(name) <= 4 && len(name) > 2 && name[0] == '.' && (dir || name == ".git") && slices.Contains(vcsDirs, name)
}

// lowerName is name in lower case, without a copy where it is so already.
func lowerName(name string) string {
	for i := range len(name) {
		if c := name[i]; 'A' <= c && c <= 'Z' || c >= 0x80 {
			return strings.ToLower(name)
		}
	}
	return name
}

// secretName is the pattern by which a file of this lower-case name holds secrets, "" without one.
func secretName(name string) string {
	pattern, ok := secretNames[name]
	if !ok {
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
			pattern = secretSuffixes[name[dot:]]
		}
	}
	for i := 0; pattern == "" && i < len(secretPatterns); i++ {
		p := &secretPatterns[i]
		if len(name) >= len(p.pattern)-1 && strings.HasPrefix(name, p.before) && strings.HasSuffix(name, p.after) {
			pattern = p.pattern
		}
	}
	if strings.Contains(pattern, ".env") {
		parts := strings.FieldsFunc(name, func(c rune) bool { return c == '.' || c == '-' || c == '_' })
		if slices.Contains(secretTemplates, parts[0]) || slices.Contains(secretTemplates, parts[len(parts)-1]) {
			return ""
		}
	}
	return pattern
}
