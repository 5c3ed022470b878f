// Package wine runs the binaries for Windows under Wine, with the build tag wine: "make wine".
package wine
