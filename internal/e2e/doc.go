// Package e2e holds the tests that run the real binaries against real stores, as users do: make e2e.
//
// The promises of a day's work stand in flow_test.go, the faults of Redis in redis_test.go, those of processes and
// disks in process_test.go, steps_test.go and others. supervisor_test.go drives agents over HTTP as a supervisor does:
// the contexts of seven agents are goldens in testdata/contexts, written again by -update; agents_test.go,
// learning_test.go, recovery_test.go, remembering_test.go, events_test.go, commands_test.go and refusals_test.go hold
// what it relies on. docs/FAULTS.md lists every fault beside the tests that provoke it, and a test here holds that
// list.
package e2e
