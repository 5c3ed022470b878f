package receipt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
)

// ShortHash is the hash by which lines and sections know their text: the first 16 hex digits of its SHA-256.
func ShortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// digest is the ShortHash of a value as JSON, whose fields have an order.
func digest(v any) string {
	data, err := json.Marshal(v)
	if err != nil { // plain data always can
		panic(err)
	}
	return ShortHash(string(data))
}

// round keeps four digits: what differs further behind is no difference to speak of.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }
