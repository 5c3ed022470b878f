package lang

import "slices"

// Content is what the files of a language are for.
type Content string

// The kinds of content. AllContent is all of them.
const (
	AllContent    Content = "all"
	SourceContent Content = "code"
	DocsContent   Content = "docs"   // to be read by people
	ConfigContent Content = "config" // settings and data
)

// Contents are the kinds that a question may be narrowed to.
var Contents = []Content{SourceContent, DocsContent, ConfigContent, AllContent}

// contentOf tells the languages that are no source code. A file of no known language is text.
var contentOf = map[string]Content{
	Text: DocsContent, "markdown": DocsContent, "rst": DocsContent, "asciidoc": DocsContent, "tex": DocsContent,
	"yaml": ConfigContent, "json": ConfigContent, "toml": ConfigContent, "ini": ConfigContent, "xml": ConfigContent,
	"csv": ConfigContent, "gomod": ConfigContent,
	"dockerfile": ConfigContent, "makefile": ConfigContent, "cmake": ConfigContent, "just": ConfigContent,
	"terraform": ConfigContent, "starlark": ConfigContent,
}

// ContentOf is the kind of content that files of a language have.
func ContentOf(language string) Content {
	if c, ok := contentOf[language]; ok {
		return c
	}
	return SourceContent
}

// WithContent are the languages of a kind of content, in order; nil for all of them.
func WithContent(c Content) []string {
	if c == AllContent || c == "" {
		return nil
	}
	return slices.DeleteFunc(All(), func(l string) bool { return ContentOf(l) != c })
}
