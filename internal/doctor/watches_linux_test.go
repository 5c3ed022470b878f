package doctor

import "testing"

func TestLowLimitsOfWatchesAreNamed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		folders, instances int
		ok                 bool
	}{{minWatches, minInstances, true}, {minWatches - 1, 128, false}, {1 << 20, minInstances - 1, false}} {
		if c := watching(tc.folders, tc.instances); c.OK != tc.ok || !tc.ok && c.Hint == "" {
			t.Errorf("%+v: %+v", tc, c)
		}
	}
}
