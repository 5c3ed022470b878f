package backend

import (
	"context"
	"path/filepath"

	"github.com/contextd/contextd/internal/eviction"
)

// newEvictor keeps the index of b within MaxStateBytes. The index, the client and the vectors of b are open.
func (b *Backend) newEvictor() *eviction.Evictor {
	o := eviction.Options{Index: b.Index, MaxBytes: b.opts.MaxStateBytes, Log: b.opts.Log, Removed: b.announceRemoved}
	if b.Name == Redis {
		return eviction.OnRedis(o, eviction.Server{Client: b.client, Prefix: b.opts.Prefix, MakeRoom: b.DropVectors})
	}
	return eviction.InFiles(o, eviction.Files{StateDir: b.opts.StateDir,
		Indexes: filepath.Join(b.opts.StateDir, projectsDir), Damaged: b.damaged})
}

// damaged lists the files that were damaged and set aside, oldest of each kind first.
func (b *Backend) damaged() ([]string, error) {
	documents, err := b.DamagedDocuments()
	if err != nil {
		return nil, err
	}
	return append([]string{filepath.Join(b.opts.StateDir, queueFile+".bad")}, documents...), nil
}

// Evict removes projects until the indexes are within MaxStateBytes, see [eviction.Evictor]. keep has just been
// written.
func (b *Backend) Evict(ctx context.Context, keep string, by eviction.Asker) error {
	return b.of(keep).evictor.Evict(ctx, keep, by)
}

// Queried notes that a project was queried just now, for Evict.
func (b *Backend) Queried(project string) { b.of(project).evictor.Queried(project) }

// KeepUses forgets what was noted for Evict of projects other than those of ids, once it is old.
func (b *Backend) KeepUses(ctx context.Context, ids []string) error {
	return b.evictor.KeepUses(ctx, ids)
}
