package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// terseScores is the record of what users see of terse queries. It cannot be measured where the trees are not at hand,
// so it names the ranking that it was measured with: who changes that has to measure again.
type terseScores struct {
	Ranking string                      `json:"ranking"` // fingerprint of the files that hold what was fitted
	Seen    map[string]map[string]*seen `json:"seen"`    // by backing and category; "" is all that can be answered
}

// fitted are the files that the order and the relevance of answers are fitted in.
var fitted = []string{"weights.txt", "relevance.go", "everyday.txt", "thesaurus.txt"}

// ranking is the fingerprint of what is fitted, in a checkout of this repository.
func ranking(root string) (string, error) {
	h := sha256.New()
	for _, name := range fitted {
		data, err := os.ReadFile(filepath.Join(root, "internal", "rank", name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

func writeScorecard(name string, of map[string]map[string]*seen) error {
	sum, err := ranking(".")
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(terseScores{sum, of}, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o644)
}
