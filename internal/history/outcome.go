package history

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Outcome is how a task ended, as far as its validation report says.
type Outcome int

// The outcomes.
const (
	Unknown Outcome = iota
	Succeeded
	Failed
)

const (
	maxReportDepth = 12 // nested objects and lists of a report that are read
	maxReportText  = 64 // bytes of a text that may be a verdict
)

// success is the outcome as a task has it.
func (o Outcome) success() *bool {
	if o == Unknown {
		return nil
	}
	return new(o == Succeeded)
}

// OutcomeOf reads a validation report. One sign of failure makes it failed, whatever else it says; without one, a sign
// of success makes it succeeded. Signs are verdicts (valid, passed, success, status …), errors and failures as a list,
// a number or a text, exit codes, and the same in nested checks. A check that is optional or only a warning is no sign
// of failure.
func OutcomeOf(report json.RawMessage) Outcome {
	var v any
	if len(report) == 0 || len(report) > MaxTask || json.Unmarshal(report, &v) != nil {
		return Unknown
	}
	return outcomeOf(v, true, maxReportDepth)
}

// outcomeOf reads a value; verdict: a bare true, false or word in it is one.
func outcomeOf(v any, verdict bool, depth int) Outcome {
	if depth == 0 {
		return Unknown
	}
	switch v := v.(type) {
	case bool:
		if verdict {
			return verdictOf(v)
		}
	case string:
		if text := strings.TrimSpace(v); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
			var inner any
			if json.Unmarshal([]byte(text), &inner) == nil {
				return outcomeOf(inner, verdict, depth-1)
			}
		}
		if verdict {
			return wordOf(v)
		}
	case []any:
		found := Unknown
		for _, x := range v {
			found = worse(found, outcomeOf(x, verdict, depth-1))
		}
		return found
	case map[string]any:
		return outcomeOfObject(v, verdict, depth)
	}
	return Unknown
}

// outcomeOfObject reads an object; checks: each field that is not known by name is a check.
func outcomeOfObject(object map[string]any, checks bool, depth int) Outcome {
	found := Unknown
	optional := false
	for name, v := range object {
		key := plainName(name)
		switch {
		case key == "optional" || key == "advisory":
			optional = optional || v == true
		case key == "required" || key == "blocking":
			optional = optional || v == false
		case key == "severity" || key == "level":
			optional = optional || isText(v, "warning", "warn", "info", "notice", "hint")
		case slices.Contains(besideNames, key):
		case slices.Contains(errorNames, key) || strings.HasSuffix(key, "errors") ||
			strings.HasSuffix(key, "failures") || strings.HasSuffix(key, "violations"):
			found = worse(found, errorsOf(v))
		case key == "exitcode" || key == "returncode" || key == "exitstatus":
			if n, ok := countOf(v); ok && n != 0 {
				found = Failed
			} else if ok {
				found = worse(found, Succeeded)
			}
		case slices.Contains(verdictNames, key) || strings.HasSuffix(key, "passed") || strings.HasSuffix(key, "ok") ||
			strings.HasSuffix(key, "valid"):
			if n, ok := countOf(v); ok { // "passed": 12
				if n > 0 {
					found = worse(found, Succeeded)
				}
				continue
			}
			found = worse(found, outcomeOf(v, true, depth-1))
		default:
			inner := slices.Contains(checkNames, key)
			switch v.(type) {
			case map[string]any, []any:
				found = worse(found, outcomeOf(v, inner, depth-1))
			default:
				found = worse(found, outcomeOf(v, inner || checks && depth < maxReportDepth, depth-1))
			}
		}
	}
	if optional && found == Failed {
		return Unknown
	}
	return found
}

// Names as plainName makes them.
var (
	verdictNames = []string{"valid", "success", "successful", "succeeded", "passed", "pass", "ok", "passing", "status",
		"result", "outcome", "verdict", "conclusion", "state", "approved"}
	errorNames = []string{"error", "errors", "failed", "fail", "failure", "failures", "failing", "failedchecks",
		"failedtests", "failedcount", "numfailed", "errorcount", "failurecount",
		"exception", "exceptions", "crashed", "timedout", "haserrors", "hasfailures"}
	checkNames = []string{"checks", "check", "tests", "test", "steps", "results", "stages", "gates", "validators",
		"validations", "criteria", "rules", "lint", "build", "types", "typecheck",
		"compile", "compiles", "compiled", "format", "unit", "integration", "security", "details",
		"validation", "report"}
	// besideNames say nothing of how the task ended.
	besideNames = []string{"config", "settings", "options", "metadata", "expected", "actual", "before", "previous",
		"baseline", "input", "name", "id", "message", "description",
		"warnings", "warning", "skipped", "expectedfailures", "maxerrors", "maxfailures", "allowederrors"}
)

// errorsOf reads what a field of errors or failures holds: none of them is a sign of success.
func errorsOf(v any) Outcome {
	if n, ok := countOf(v); ok {
		return verdictOf(n == 0)
	}
	switch v := v.(type) {
	case nil:
		return Succeeded
	case bool:
		return verdictOf(!v)
	case string:
		if isText(v, "", "none", "no", "no errors", "null", "n/a", "-") {
			return Succeeded
		}
		return Failed
	case []any:
		for _, x := range v {
			object, ok := x.(map[string]any)
			if !ok || !isText(object["severity"], "warning", "warn", "info", "notice", "hint") &&
				!isText(object["level"], "warning", "warn", "info", "notice", "hint") {
				return Failed
			}
		}
		return Succeeded
	case map[string]any: // by file or by check, or {"count": 3}
		found := Succeeded
		for _, x := range v {
			found = worse(found, errorsOf(x))
		}
		return found
	}
	return Unknown
}

// countOf is a number, as one or as digits.
func countOf(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case string:
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return n, err == nil
	}
	return 0, false
}

func verdictOf(ok bool) Outcome {
	if ok {
		return Succeeded
	}
	return Failed
}

// wordOf reads a verdict in a word.
func wordOf(text string) Outcome {
	switch {
	case isText(text, "passed", "pass", "passing", "ok", "success", "successful", "succeeded", "green", "valid",
		"approved", "clean", "true", "yes", "✓", "✅"):
		return Succeeded
	case isText(text, "failed", "fail", "failing", "failure", "error", "errored", "errors", "red", "invalid",
		"rejected", "broken", "crashed", "timeout", "timed_out", "timed out", "aborted", "cancelled", "canceled",
		"false", "no", "not ok", "✗", "❌"):
		return Failed
	}
	return Unknown
}

func isText(v any, words ...string) bool {
	text, ok := v.(string)
	return ok && len(text) <= maxReportText && slices.Contains(words, strings.ToLower(strings.TrimSpace(text)))
}

// plainName is the name of a field in lower case without marks: isValid and is_valid are one.
func plainName(name string) string {
	if len(name) > maxReportText {
		return ""
	}
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
	if rest := strings.TrimPrefix(name, "is"); rest != name && slices.Contains(verdictNames, rest) {
		return rest
	}
	return name
}

// worse is what two signs say together.
func worse(a, b Outcome) Outcome { return max(a, b) }
