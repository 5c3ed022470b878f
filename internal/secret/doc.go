// Package secret finds tokens and private keys in text and puts a mark in their place.
//
// [Find] names the rule of the first secret of a text; [Redact] takes out all of them, [RedactJSONWithin] those in the
// strings of a JSON value. Only forms that cannot be taken for anything else count ("ghp_…", a private key with its
// base64): what merely looks random is no secret, source is full of hashes. A secret is found behind the escapes,
// colours and line marks with which tools print it as well.
//
// Text is hostile: the time of a search is linear in its length, and each function has a twin with a context
// ([FindWithin], [RedactWithin]) that ends when nobody waits any more. Then nothing is known of the text, and nothing
// of it is given.
//
// Where it is used: package sandbox leaves out files that hold a secret, and all that is stored or shown goes through
// Redact first. Which names of files tell of secrets is a rule of package sandbox.
package secret
