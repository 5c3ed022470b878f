package trace

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/contextd/contextd/internal/safetext"
)

// Numbers of fields of opentelemetry.proto.collector.trace.v1 and of the messages it holds, version 1.
const (
	requestResourceSpans                                         = 1
	groupResource, groupScopeSpans                               = 1, 2
	resourceAttributes                                           = 1
	scopeSpansScope, scopeSpansSpans                             = 1, 2
	scopeName, scopeVersion                                      = 1, 2
	spanTrace, spanID, spanParent, spanName, spanKind, spanBegan = 1, 2, 4, 5, 6, 7
	spanEnded, spanAttributes, spanStatus, spanFlags             = 8, 9, 15, 16
	statusCode, statusError                                      = 3, 2
	keyValueKey, keyValueValue                                   = 1, 2
	valueString, valueInt                                        = 1, 3
	kindInternal                                                 = 1
	flagsSampled, flagsKnown, flagsRemote                        = 1, 0x100, 0x200
)

// message appends a field that holds a message.
func message(b []byte, field protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), body)
}

func text(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), safetext.Valid(s))
}

func number(b []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
}

func attribute(b []byte, field protowire.Number, key string, value []byte) []byte {
	return message(b, field, message(text(nil, keyValueKey, key), keyValueValue, value))
}

// encode is spans as an ExportTraceServiceRequest.
func (o *Options) encode(spans []span) []byte {
	about := maps.Clone(o.Resource)
	if about == nil {
		about = map[string]string{}
	}
	about["service.name"], about["service.version"] = o.Service, o.Version
	var resource []byte
	for _, k := range slices.Sorted(maps.Keys(about)) {
		resource = attribute(resource, resourceAttributes, k, text(nil, valueString, about[k]))
	}
	all := message(nil, scopeSpansScope, text(text(nil, scopeName, "contextd"), scopeVersion, o.Version))
	for i := range spans {
		all = message(all, scopeSpansSpans, spans[i].encode())
	}
	return message(nil, requestResourceSpans, message(message(nil, groupResource, resource), groupScopeSpans, all))
}

func (s *span) encode() []byte {
	b := message(message(nil, spanTrace, s.trace[:]), spanID, s.id[:])
	if s.parent != [8]byte{} {
		b = message(b, spanParent, s.parent[:])
	}
	b = number(text(b, spanName, s.name), spanKind, kindInternal)
	began := s.began.UnixNano()
	b = protowire.AppendFixed64(protowire.AppendTag(b, spanBegan, protowire.Fixed64Type), uint64(began))
	b = protowire.AppendFixed64(protowire.AppendTag(b, spanEnded, protowire.Fixed64Type), uint64(began+int64(s.took)))
	for _, f := range s.facts {
		value := number(nil, valueInt, uint64(f.Number))
		if f.Word != "" {
			value = text(nil, valueString, f.Word)
		}
		b = attribute(b, spanAttributes, "contextd."+f.Key, value)
	}
	if s.failed != "" {
		b = attribute(b, spanAttributes, "error.type", text(nil, valueString, s.failed))
		b = message(b, spanStatus, number(nil, statusCode, statusError))
	}
	flags := uint32(flagsSampled | flagsKnown)
	if s.fromRemote {
		flags |= flagsRemote
	}
	return protowire.AppendFixed32(protowire.AppendTag(b, spanFlags, protowire.Fixed32Type), flags)
}
