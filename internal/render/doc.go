// Package render turns what was found into text that is safe to print and to put into a prompt.
//
// [Snippet] chooses the lines of a chunk that are shown, [Text] prints an answer for people and prompts, [Fence] and
// [Neutral] keep foreign text from being taken for anything but data: a fence that its content cannot close, and no
// character that moves the cursor, reorders or hides text. [Terminal] marks words and links paths for people. It is
// pure: no file is opened here.
package render
