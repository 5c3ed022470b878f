// Package receipt explains a compiled context: what was in it, what was left out, and why.
//
// A Receipt holds one Line for each piece that was considered: its scores, the decision, the reason, what it took and
// what budget would have kept it. A Fingerprint sums the context up in a few numbers that telemetry can group by. Diff
// tells what changed from one receipt to another and what caused it. Package prompt makes receipts and stores them;
// everything here is pure.
package receipt
