package servers

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// Set is the servers of one store. Safe for concurrent use.
type Set struct{ names []string }

// NewSet is the set of servers with these names, which differ.
func NewSet(names []string) *Set { return &Set{slices.Clone(names)} }

// Names are the names of the servers; a place is a number of this list.
func (s *Set) Names() []string { return slices.Clone(s.names) }

// Name is the name of the server at a place.
func (s *Set) Name(place int) string { return s.names[place] }

// Len is the number of servers.
func (s *Set) Len() int { return len(s.names) }

// Key is what of an owner's name decides where it lies: see the package comment.
func Key(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(sum[:4])
}

// Of is the place of an owner: a project by its id, an agent by its name.
func (s *Set) Of(owner string) int { return s.OfKey(Key(owner)) }

// OfKey is the place of what has a key.
func (s *Set) OfKey(key string) int {
	best, most := 0, uint64(0)
	for i, name := range s.names {
		w := weight(name, key)
		if i == 0 || w > most || w == most && name < s.names[best] {
			best, most = i, w
		}
	}
	return best
}

func weight(name, key string) uint64 {
	sum := sha256.Sum256([]byte(name + " " + key))
	return binary.BigEndian.Uint64(sum[:8])
}
