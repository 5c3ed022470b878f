// Package agents runs contextd with the clients of other makers: agents, inspectors, SDKs, the suite of the protocol.
//
// "make e2e-agents" runs its tests, which carry the build tag agents: they fetch what they need from npm and PyPI into
// the user's cache, and say what is skipped where a registry is not reached. No key, no account and no model is needed.
// Each test has a home of its own ([World]): no settings of whoever runs it are read or changed.
package agents
