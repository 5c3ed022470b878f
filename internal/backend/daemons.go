package backend

import (
	"context"
	"slices"

	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/servers"
)

// Daemons lists the daemons that serve this store, but for those that are known to be dead. It changes nothing.
//
// Of several servers it lists those of the ones that answer; the error is that of all.
func (b *Backend) Daemons(ctx context.Context) ([]presence.Daemon, error) {
	if b.several != nil {
		lists, err := ask(ctx, b.several, func(ctx context.Context, one *Backend) ([]presence.Daemon, error) {
			return one.Daemons(ctx)
		})
		if servers.Partial(err) {
			err = nil
		}
		return onceEach(slices.Concat(lists...)), err
	}
	if b.Name == Redis {
		return b.registry().List(ctx)
	}
	if d, ok := presence.Holder(b.opts.StateDir); ok && d.Backend == Embedded {
		return []presence.Daemon{d}, nil
	}
	return nil, nil
}

// onceEach lists each daemon once: it registers on every server.
func onceEach(list []presence.Daemon) (all []presence.Daemon) {
	for _, d := range list {
		if !slices.ContainsFunc(all, func(o presence.Daemon) bool { return o.Owner == d.Owner }) {
			all = append(all, d)
		}
	}
	return all
}

// HoldsBack reports whether the daemon of this state directory knows of changes of a project that its server does not
// take. It changes nothing.
func (b *Backend) HoldsBack(project string) bool {
	return presence.HeldBack(b.opts.StateDir, b.ServerOf(project))
}

// Self describes this process as a daemon of b that may serve roots and keeps those of watched fresh.
func (b *Backend) Self(roots, watched []string) presence.Daemon {
	d := presence.Self(b.Name, roots, watched)
	d.Servers = b.Names()
	return d
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
