// Package rdbtest gives tests a real Redis server: with RediSearch, or plain.
//
// [Own] starts a private server on a free loopback port with a temporary directory, which the test may kill, restart
// and pause. [Start] does the same but takes the server of REDIS_URL, if that is set, for a test that needs RediSearch;
// there every test keeps to a prefix of its own and removes what it wrote.
//
// A server is found, in this order: CONTEXTD_TEST_REDIS_SERVER and CONTEXTD_TEST_REDIS_MODULE (paths of redis-server
// and redisearch.so), redis-stack-server (or, for a plain one, redis-server) on PATH, what "go run ./tools/redis fetch"
// left in [CacheDir], Docker. Without any the test is skipped with one line that says how to get one;
// CONTEXTD_REQUIRE_REDIS=1 makes that a failure.
package rdbtest
