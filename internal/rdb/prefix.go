package rdb

// GoodPrefix reports whether keys may begin with prefix: a letter or digit, then at most 63 letters, digits, '.', '_',
// ':' or '-'. That keeps keys readable and their patterns free of wildcards.
func GoodPrefix(prefix string) bool {
	if len(prefix) > 64 {
		return false
	}
	for i, c := range []byte(prefix) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case i > 0 && (c == '.' || c == '_' || c == ':' || c == '-'):
		default:
			return false
		}
	}
	return prefix != ""
}
