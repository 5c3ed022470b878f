package store

import (
	"fmt"
	"unicode/utf8"
)

// Limits, in bytes.
const (
	MaxName   = 256      // of an owner, an id, a log's name
	MaxData   = 1 << 20  // of one document or entry
	MaxChange = 64 << 20 // of all documents or entries of one call
)

// CheckShelf names what is wrong with a shelf's name.
func CheckShelf(s Shelf) error {
	if err := CheckBucket(s.Bucket); err != nil {
		return err
	}
	return checkName("owner", s.Owner)
}

// CheckBucket names what is wrong with a bucket's name.
func CheckBucket(bucket string) error {
	ok := bucket != "" && len(bucket) <= 32
	for _, r := range bucket {
		ok = ok && r >= 'a' && r <= 'z'
	}
	if !ok {
		return fmt.Errorf("bucket %.40q: want 1 to 32 lower-case letters", bucket)
	}
	return nil
}

// CheckWrites names what is wrong with the changes of one call.
func CheckWrites(writes []Write) error {
	seen, sum := make(map[string]bool, len(writes)), 0
	for _, w := range writes {
		if err := checkName("id", w.ID); err != nil {
			return err
		}
		if seen[w.ID] {
			return fmt.Errorf("id %q: want it once in a change", w.ID)
		}
		seen[w.ID] = true
		if len(w.Data) > MaxData {
			return fmt.Errorf("document %q: %d bytes, want at most %d", w.ID, len(w.Data), MaxData)
		}
		if w.If < Absent {
			return fmt.Errorf("document %q: revision %d, want Any, Absent or one from 1", w.ID, w.If)
		}
		sum += len(w.Data)
	}
	return checkSum(sum)
}

// CheckLog names what is wrong with a log's name.
func CheckLog(log string) error { return checkName("log", log) }

// CheckEntries names what is wrong with the arguments of Append.
func CheckEntries(log string, keep int, data [][]byte) error {
	if err := CheckLog(log); err != nil {
		return err
	}
	if keep < 1 || len(data) == 0 {
		return fmt.Errorf("log %q: %d entries, %d to keep; want at least 1 of both", log, len(data), keep)
	}
	sum := 0
	for _, d := range data {
		if len(d) > MaxData {
			return fmt.Errorf("log %q: an entry of %d bytes, want at most %d", log, len(d), MaxData)
		}
		sum += len(d)
	}
	return checkSum(sum)
}

func checkSum(sum int) error {
	if sum > MaxChange {
		return fmt.Errorf("a change of %d bytes: want at most %d", sum, MaxChange)
	}
	return nil
}

func checkName(what, name string) error {
	switch {
	case name == "" || len(name) > MaxName:
		return fmt.Errorf("%s %.40q: %d bytes, want 1 to %d", what, name, len(name), MaxName)
	case !utf8.ValidString(name):
		return fmt.Errorf("%s %q: want UTF-8", what, name)
	}
	return nil
}
