// Package e2e holds the tests that run the real binaries against real stores, as users do: make e2e.
//
// The promises of a day's work stand in flow_test.go, the faults of Redis in redis_test.go, those of processes and disks
// in the other files. docs/FAULTS.md lists every fault beside the tests that provoke it, and a test here holds that list.
package e2e
