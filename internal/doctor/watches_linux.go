package doctor

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// The least limits with which watching is worth a try: one watch a folder, one instance a watched root.
const (
	minWatches   = 8192
	minInstances = 16
)

func watches() []Check {
	const dir = "/proc/sys/fs/inotify/"
	found := map[string]int{}
	for _, limit := range []string{"max_user_watches", "max_user_instances"} {
		data, err := os.ReadFile(dir + limit)
		n, convErr := strconv.Atoi(strings.TrimSpace(string(data)))
		if err != nil || convErr != nil {
			return []Check{pass("watching", "limits of inotify unknown")}
		}
		found[limit] = n
	}
	return []Check{watching(found["max_user_watches"], found["max_user_instances"])}
}

func watching(folders, instances int) Check {
	detail := fmt.Sprintf("%d folders, %d instances", folders, instances)
	if folders < minWatches || instances < minInstances {
		return fail("watching", detail+": the daemon will poll",
			"raise fs.inotify.max_user_watches and fs.inotify.max_user_instances with sysctl")
	}
	return pass("watching", "%s", detail)
}
