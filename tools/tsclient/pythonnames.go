package main

import (
	"slices"
	"strings"
	"unicode"
)

// pythonWords are the names that a field cannot have in a class.
var pythonWords = strings.Fields("False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield")

func identifier(s string) bool {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != "" && !slices.Contains(pythonWords, s)
}

// snake is a camelCase name as Python writes it.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// pascal is a name_with_parts as Python's classes are named.
func pascal(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		b.WriteString(upper(part))
	}
	return b.String()
}

// pythonComment is a comment above a field; "" for no text.
func pythonComment(text, indent string) string {
	if text == "" {
		return ""
	}
	return indent + "# " + strings.Join(strings.Fields(text), " ") + "\n"
}

// docString is the description of a class; "" for no text.
func docString(text string) string {
	if text == "" {
		return ""
	}
	text = strings.Join(strings.Fields(text), " ")
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), `"`, `\"`)
	return `    """` + text + `"""` + "\n\n"
}
