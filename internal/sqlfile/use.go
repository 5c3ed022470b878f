package sqlfile

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
)

// Existing opens what keeps itself in the file at path, for those who only look: false if there is no such file.
func Existing[T any](path string, open func() (T, error)) (v T, ok bool, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return v, false, nil
	}
	v, err = open()
	return v, err == nil, err
}

// Finish runs f in a transaction that has begun, and commits it if f gives no error.
func Finish(tx *sql.Tx, f func(*sql.Tx) error) error {
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Each reads the rows of a query, of which it takes what database/sql returned, and closes them. The first error of row
// ends it.
func Each(rows *sql.Rows, err error) func(row func(*sql.Rows) error) error {
	return func(row func(*sql.Rows) error) error {
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := row(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}
