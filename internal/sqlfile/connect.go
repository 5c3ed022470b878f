package sqlfile

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
)

// connect opens the file at path; on failure it returns what it tried to open.
func connect(path string, o Options) (*handles, error) {
	h := &handles{}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return h, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return h, err
	}
	h.info, err = file.Stat()
	file.Close()
	if err != nil {
		return h, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return h, err
	}
	abs = filepath.ToSlash(abs)
	if abs[0] != '/' {
		abs = "/" + abs // file:///C:/…
	}
	for _, way := range o.Ways {
		dsn := url.URL{Scheme: "file", Path: abs, RawQuery: "_pragma=journal_mode(WAL)&" + way.Query}
		db, err := sql.Open("sqlite", dsn.String())
		if err != nil {
			h.close()
			return h, err
		}
		db.SetMaxOpenConns(way.Conns)
		db.SetMaxIdleConns(way.Conns)
		h.dbs = append(h.dbs, db)
	}
	// Making a file a WAL file does not wait for locks as other statements do.
	if err := RetryBusy(context.Background(), func() error { return prepare(h.dbs[0], h.info.Size(), o) }); err != nil {
		h.close()
		return h, err
	}
	return h, nil
}

// prepare checks the file and gives a new one its tables.
func prepare(db *sql.DB, size int64, o Options) error {
	var v int
	if err := db.QueryRow("PRAGMA user_version").Scan(&v); err != nil {
		return err
	}
	switch {
	case v == 0:
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if _, err := tx.Exec(o.Schema); err != nil {
			return err
		}
		return tx.Commit()
	case v != o.Version && o.Replaceable:
		return fmt.Errorf("layout %d: %w", v, errDamaged)
	case v > o.Version:
		return fmt.Errorf(
			"it has layout %d, this version knows up to %d: use the newer contextd, or another state directory",
			v, o.Version)
	}
	if size <= o.CheckBelow {
		var verdict string
		if err := db.QueryRow("PRAGMA quick_check(1)").Scan(&verdict); err != nil {
			return err
		}
		if verdict != "ok" {
			return fmt.Errorf("%s: %w", verdict, errDamaged)
		}
	}
	return tables(db, o.Tables)
}

// tables fails if one that is wanted is missing.
func tables(db *sql.DB, want []string) error {
	var found []string
	all := Each(db.Query("SELECT name FROM sqlite_schema WHERE type = 'table'"))
	if err := all(func(rows *sql.Rows) error {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		found = append(found, name)
		return nil
	}); err != nil {
		return err
	}
	for _, name := range want {
		if !slices.Contains(found, name) {
			return fmt.Errorf("table %q is missing: %w", name, errDamaged)
		}
	}
	return nil
}
