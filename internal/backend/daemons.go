package backend

import (
	"context"

	"github.com/contextd/contextd/internal/presence"
)

// Daemons lists the daemons that serve this store, but for those that are known to be dead. It changes nothing.
func (b *Backend) Daemons(ctx context.Context) ([]presence.Daemon, error) {
	if b.Name == Redis {
		return b.registry().List(ctx)
	}
	if d, ok := presence.Holder(b.opts.StateDir); ok && d.Backend == Embedded {
		return []presence.Daemon{d}, nil
	}
	return nil, nil
}

// HoldsBack reports whether the daemon of this state directory knows of changes that the store does not take. It
// changes nothing.
func (b *Backend) HoldsBack() bool { return presence.HeldBack(b.opts.StateDir) }

// Self describes this process as a daemon of b that may serve roots and keeps those of watched fresh.
func (b *Backend) Self(roots, watched []string) presence.Daemon {
	return presence.Self(b.Name, roots, watched)
}

// Register registers d on Redis, see [presence.Registry]. On the embedded backing [presence.Held] does all that.
func (b *Backend) Register(ctx context.Context, d presence.Daemon, m *presence.Mark) (lost bool, err error) {
	if b.Name == Redis {
		return b.registry().Register(ctx, d, m)
	}
	return false, nil
}

// Unregister removes d from the registry of Redis; it does not release the lock that [presence.Hold] took.
func (b *Backend) Unregister(ctx context.Context, d presence.Daemon) error {
	if b.Name == Redis {
		return b.registry().Unregister(ctx, d)
	}
	return nil
}

func (b *Backend) registry() *presence.Registry {
	return presence.NewRegistry(b.client, b.opts.Prefix+":daemons")
}
