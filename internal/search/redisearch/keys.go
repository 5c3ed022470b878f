package redisearch

import (
	"crypto/sha256"
	"encoding/hex"
	"path"

	"github.com/contextd/contextd/internal/code"
)

// What ends the name of an FT index that holds a part of what is known of each chunk.
const (
	wordsOnly = ":words"
	graphOnly = ":graph"
)

// keys names the keys below a prefix.
type keys string

func (k keys) projects() string              { return string(k) + ":projects" }
func (k keys) record(pid string) string      { return string(k) + ":project:" + pid }
func (k keys) attached(pid string) string    { return string(k) + ":a:" + pid }
func (k keys) vers(pid string) string        { return string(k) + ":vers:" + pid }
func (k keys) lock(pid string) string        { return string(k) + ":write:" + pid }
func (k keys) nextLock(pid string) string    { return string(k) + ":next:" + pid }
func (k keys) files(pid, ver string) string  { return string(k) + ":f:" + pid + ":" + ver }
func (k keys) blobs(pid, ver string) string  { return string(k) + ":b:" + pid + ":" + ver }
func (k keys) names(pid, ver string) string  { return string(k) + ":n:" + pid + ":" + ver }
func (k keys) ahead(pid, ver string) string  { return string(k) + ":j:" + pid + ":" + ver }
func (k keys) chunks(pid, ver string) string { return string(k) + ":c:" + pid + ":" + ver + ":" }
func (k keys) flat(pid, ver string) string   { return string(k) + ":i:" + pid + ":" + ver }
func (k keys) hnsw(pid, ver string) string   { return string(k) + ":i:" + pid + ":" + ver + ":hnsw" }
func (k keys) words(pid, ver string) string  { return string(k) + ":i:" + pid + ":" + ver + wordsOnly }
func (k keys) graph(pid, ver string) string  { return string(k) + ":i:" + pid + ":" + ver + graphOnly }

// Tag values are a letter and hexadecimal digits, since they stand in query syntax.

func tag(letter, text string) string {
	sum := sha256.Sum256([]byte(text))
	return letter + hex.EncodeToString(sum[:6])
}

func fileTag(p code.Path) string     { return tag("f", p) }
func dirTag(dir code.Path) string    { return tag("d", dir) }
func langTag(language string) string { return "l" + hex.EncodeToString([]byte(language)) }

// dirTags are the tags of all folders above a file, as the value of a TAG field.
func dirTags(p code.Path) string {
	var b []byte
	for dir := path.Dir(p); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if len(b) > 0 {
			b = append(b, ',')
		}
		b = append(b, dirTag(dir)...)
	}
	return string(b)
}
