// Package answer puts a question to a project: one call from whoever asks to a reply that says what is against it.
//
// It joins three packages that do not know each other's work, and holds no state of its own:
//
//	access     which project is meant, and may its root be read
//	freshness  is its index brought up to date, by whom, and when
//	retrieve   what does the index say, verified against the disk
//
// [Answerer.Query] goes through all three. A prompt has found its project already; it asks by [Code].
package answer
