package local

import (
	"context"
	"encoding/binary"
)

// mergeSegments writes the live files of parts into segment n of dir, marked so; ords says where each row has gone.
func mergeSegments(ctx context.Context, dir string, dims int, mark string, parts []part, n uint64, at func(string) error) (ref segRef, ords map[int32]uint32, err error) {
	w, err := newSegWriter(dir, dims, mark)
	if err != nil {
		return ref, nil, err
	}
	ords = map[int32]uint32{}
	var rows, lens []byte
	var blobs uint64
	var chunks uint32
	le := binary.LittleEndian
	for p := range parts {
		part := &parts[p]
		part.to = make([]uint32, part.chunks)
		for ord, row := range part.rows {
			first, end, blob := part.file(uint32(ord))
			if row < 0 {
				for c := first; c < end; c++ {
					part.to[c] = deadChunk
				}
				continue
			}
			ords[row] = uint32(len(ords))
			rows = le.AppendUint64(le.AppendUint32(rows, chunks), blobs)
			w.write(blob)
			blobs += uint64(len(blob))
			for c := first; c < end; c++ {
				part.to[c] = chunks
				lens = le.AppendUint32(lens, part.chunkLen(c))
				chunks++
			}
		}
	}
	rows = le.AppendUint64(le.AppendUint32(rows, chunks), blobs)
	w.header.files, w.header.chunks = uint32(len(ords)), chunks
	w.next()
	w.write(rows)
	w.next()
	w.write(lens)
	w.next()
	if err := ctx.Err(); err != nil {
		w.drop()
		return ref, nil, err
	}
	var pw postingsWriter
	mergePostings(parts, &pw)
	pw.writeTo(w)
	for _, sec := range []int{secScales, secVectors} {
		w.next()
		for p := range parts {
			part := &parts[p]
			size := len(part.sec[sec]) / int(max(part.chunks, 1))
			for c, to := range part.to {
				if to != deadChunk {
					w.write(part.sec[sec][c*size:][:size])
				}
			}
		}
	}
	ref, err = w.finish(n, at)
	return ref, ords, err
}

// mergePostings goes through the terms of all parts by key. Chunks are numbered part by part, so that the postings of a
// term stay in order.
func mergePostings(parts []part, pw *postingsWriter) {
	for {
		key, found := uint64(0), false
		for p := range parts {
			if q := &parts[p]; q.term < int(q.terms) {
				if k := q.key(q.term); !found || k < key {
					key, found = k, true
				}
			}
		}
		if !found {
			return
		}
		pw.begin(key)
		for p := range parts {
			q := &parts[p]
			if q.term == int(q.terms) || q.key(q.term) != key {
				continue
			}
			list, _ := q.list(q.term)
			q.term++
			for chunk := uint64(0); len(list) > 0; {
				step, tf, n := nextPosting(list)
				list = list[n:]
				chunk += uint64(step)
				if n == 0 || chunk >= uint64(len(q.to)) {
					break
				}
				if to := q.to[chunk]; to != deadChunk {
					pw.add(to, tf)
				}
			}
		}
		pw.end()
	}
}
